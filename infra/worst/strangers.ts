/** Servers of strangers on loopback: agents of their own, servers of tools, model providers and receivers, each under a path. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline, Readable } from "node:stream"
import type { StrangerUrls } from "./tester.ts"

/** Answers a request that has been read. */
export type Answer = (response: ServerResponse, body: string, request: IncomingMessage) => void

export interface Strangers {
  readonly urls: StrangerUrls
  /** Has a stranger answer from now on, at the URL that this returns and below it. */
  readonly settle: (answer: Answer) => string
  readonly stop: () => Promise<void>
}

const json = (response: ServerResponse, status: number, value: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))

/** Starts them all. The receiver takes everything; the provider takes every key for its list of models. */
export const startStrangers = async (): Promise<Strangers> => {
  const settled = new Map<string, Answer>([
    ["receiver", (response) => response.end("thank you")],
    ["provider", (response, _, { headers }) => json(response, headers.authorization ? 200 : 401, { data: [] })]
  ])
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const chunks: Array<Buffer> = []
    response.on("error", () => undefined)
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const [, name = ""] = (request.url ?? "").split("/")
      const answer = settled.get(name)
      if (answer === undefined) json(response, 404, {})
      else answer(response, Buffer.concat(chunks).toString("utf8"), request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    urls: { receiver: `${base}/receiver`, provider: `${base}/provider` },
    settle: (answer) => {
      const name = crypto.randomUUID()
      settled.set(name, answer)
      return `${base}/${name}`
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/** Sends an answer's body piece by piece, as fast as it is taken. */
export const writeAll = (response: ServerResponse, parts: Iterable<string | Uint8Array>): void => {
  pipeline(Readable.from(parts, { objectMode: true }), response, () => undefined)
}
