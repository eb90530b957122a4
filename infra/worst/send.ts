/** Requests as bytes, of any size, and what came of them. */
import { Agent, type OutgoingHttpHeaders, request as send } from "node:http"

export interface Sending {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly bytes: number
  /** The beginning of the body. */
  readonly text: string
  readonly millis: number
}

/** How much of an answer is kept: enough for a run with its result. */
const KEPT_BYTES = 2 ** 20

/** How long a stream of events is listened to, in milliseconds. */
const LISTEN_MILLIS = 20

/** Nothing came within the time that was given. */
export class NoAnswer extends Error {}

/** Asks a server on loopback over kept connections. */
export const makeSender = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const ask = ({ body, headers, method, path }: Sending, millisMax: number): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const begunAt = performance.now()
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
      const options = { agent, host: "127.0.0.1", port, method, path, headers: { ...headers, ...length } }
      const late = setTimeout(
        () => asked.destroy(new NoAnswer(`No answer within ${Math.round(millisMax / 1000)} s`)),
        millisMax
      )
      const end = (act: () => void) => {
        clearTimeout(late)
        act()
      }
      const asked = send(options, (response) => {
        let bytes = 0
        let text = ""
        const answered = () => ({ status: response.statusCode ?? 0, bytes, text, millis: performance.now() - begunAt })
        response.setEncoding("latin1")
        response.on("data", (chunk: string) => {
          bytes += chunk.length
          if (text.length < KEPT_BYTES) text += chunk.slice(0, KEPT_BYTES)
        })
        response.on("end", () => end(() => resolve(answered())))
        response.on("error", (error) => end(() => reject(error)))
        if (!/event-stream|x-ndjson/.test(response.headers["content-type"] ?? "")) return
        setTimeout(() => {
          end(() => resolve(answered()))
          response.destroy()
        }, LISTEN_MILLIS)
      })
      asked.on("error", (error) => end(() => reject(error)))
      asked.end(body)
    })
  return { ask, close: () => agent.destroy() }
}

/** The JSON of an answer; an empty object where it is none. */
export const jsonOf = ({ text }: Answered): Record<string, unknown> => {
  try {
    return JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as Record<string, unknown>
  } catch {
    return {}
  }
}
