/** Requests over kept-alive connections, written and read by hand: the caller shares the machine with what it measures. */
import { connect } from "node:net"

/** One request, sent again and again. */
export interface Shot {
  readonly port: number
  readonly method: "GET" | "POST"
  /** The paths, asked for by turns. */
  readonly paths: ReadonlyArray<string>
  readonly key: string
  readonly body?: unknown
  /** The expected status; any other ends the measurement. */
  readonly status: number
}

/** Over how many connections, how long, and for how many requests at most. */
export interface Span {
  readonly connections: number
  readonly seconds: number
  readonly requestsMax: number
}

const LENGTH = /\r\ncontent-length: *(\d+)/i

/** The first answer in `text`: its status, which stands behind `HTTP/1.1 `, and its length. Undefined while it is not whole. */
const answerIn = (text: string): { readonly status: number; readonly bytes: number } | undefined => {
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const length = LENGTH.exec(text.slice(0, end))?.[1]
  if (length === undefined) throw new Error("An answer came without its length")
  const bytes = end + 4 + Number(length)
  return text.length < bytes ? undefined : { status: Number(text.slice(9, 12)), bytes }
}

const requestOf = ({ body, key, method }: Shot, path: string): string => {
  const text = body === undefined ? "" : JSON.stringify(body)
  const content =
    body === undefined ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n${content}\r\n${text}`
}

/** Asks over so many connections, one request after another on each; answers how long each took, in ms. */
export const fire = async (shot: Shot, { connections, requestsMax, seconds }: Span): Promise<ReadonlyArray<number>> => {
  const requests = shot.paths.map((path) => requestOf(shot, path))
  const end = performance.now() + seconds * 1000
  const latencies: Array<number> = []
  let sent = 0
  const caller = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port: shot.port, host: "127.0.0.1", noDelay: true })
      let begunAt = 0
      let received = ""
      const next = () => {
        if (sent >= requestsMax || performance.now() > end) {
          socket.destroy()
          return resolve()
        }
        begunAt = performance.now()
        socket.write(requests[sent++ % requests.length] ?? "")
      }
      socket.setEncoding("latin1")
      socket.on("connect", next)
      socket.on("error", reject)
      socket.on("data", (chunk) => {
        received += String(chunk)
        const answer = answerIn(received)
        if (answer === undefined) return
        if (answer.status !== shot.status) {
          return reject(new Error(`${shot.method} was answered with ${received.slice(0, 600)}`))
        }
        latencies.push(performance.now() - begunAt)
        received = received.slice(answer.bytes)
        next()
      })
    })
  await Promise.all(Array.from({ length: connections }, caller))
  return latencies
}
