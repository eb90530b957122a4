/** A connection over which bytes go as they are: `fetch` refuses what a socket does not. */
import { connect, type Socket } from "node:net"

/** An answer of HTTP/1.1 with a length. */
export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** The answer at the beginning of `text`; undefined while it is not whole. */
const parse = (text: string): (RawAnswer & { readonly length: number; readonly closes: boolean }) | undefined => {
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [line = "", ...lines] = text.slice(0, end).split("\r\n")
  const headers = new Map(
    lines.map((one) => {
      const at = one.indexOf(":")
      return [one.slice(0, at).toLowerCase(), one.slice(at + 1).trim()]
    })
  )
  const length = end + 4 + Number(headers.get("content-length") ?? 0)
  if (text.length < length) return undefined
  return {
    status: Number(line.split(" ")[1]),
    contentType: headers.get("content-type") ?? "",
    body: text.slice(end + 4, length),
    length,
    closes: headers.get("connection") === "close"
  }
}

/** Asks one request after another; opens another connection where the server has closed the last. */
export const openConnection = (port: number) => {
  let socket: Socket | undefined
  const ask = (bytes: string): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      const current = socket ?? connect(port, "127.0.0.1")
      socket = current
      let received = ""
      const finish = () => {
        current.removeAllListeners()
        current.on("error", () => undefined)
      }
      current.on("data", (chunk) => {
        received += chunk.toString("latin1")
        const answer = parse(received)
        if (answer === undefined) return
        finish()
        if (answer.closes) {
          current.destroy()
          socket = undefined
        }
        resolve(answer)
      })
      const lost = (why: string) => {
        finish()
        socket = undefined
        reject(new Error(`No answer to ${JSON.stringify(bytes.slice(0, 200))}: ${why}`))
      }
      current.on("error", (error) => lost(error.message))
      current.on("close", () => lost("closed"))
      current.write(bytes, "latin1")
    })
  return { ask, close: () => socket?.destroy() }
}
