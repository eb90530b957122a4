/** Requests as bytes on a connection: `fetch` would put right what is to arrive wrong. */
import { Agent, request as send } from "node:http"
import type { Given } from "./judge.ts"

export interface Wanted {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** How long a stream is listened to. */
const LISTEN_MILLIS = 50

/** An answer that has not begun by then is none. */
const SILENCE_MILLIS = 40_000

/** Asks a server on loopback over a few kept connections. `close` ends them. */
export const makeAsking = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const ask = ({ body, headers, method, path }: Wanted): Promise<Given> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
      const asked = send(
        { agent, host: "127.0.0.1", port, method, path, headers: { ...headers, ...length } },
        (response) => {
          const millis = performance.now() - startedAt
          const given = { status: response.statusCode ?? 0, headers: response.headers, millis }
          const isStream = /event-stream|ndjson/.test(response.headers["content-type"] ?? "")
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", reject)
          if (isStream) {
            setTimeout(() => {
              response.destroy()
              resolve({ ...given, text: undefined })
            }, LISTEN_MILLIS)
            response.removeListener("error", reject)
            response.on("error", () => undefined)
            return
          }
          response.on("end", () => resolve({ ...given, text: Buffer.concat(chunks).toString("utf8") }))
        }
      )
      asked.setTimeout(SILENCE_MILLIS, () => asked.destroy(new Error(`${method} ${path} was not answered`)))
      asked.on("error", reject)
      asked.end(body)
    })
  return { ask, close: () => agent.destroy() }
}
