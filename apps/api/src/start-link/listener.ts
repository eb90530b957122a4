/**
 * Receives webhooks on this machine, for the first steps: the last few are kept in memory and shown to the page as they come. It has a
 * port of its own, since the platform sends no webhook to its own ports.
 */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import { Effect, PubSub, type Scope, Stream } from "effect"
import type { StreamedEvent } from "../streams.ts"
import { isListenerOf, type StartLinkGiven } from "./StartLink.ts"

/** How many webhooks are kept. */
const KEPT = 20

/** The largest body that is taken. */
export const RECEIVED_BYTES_MAX = 256 * 1024

const CONNECTIONS_MAX = 50
const SECONDS_MAX = 10

/** The headers of deliveries that are shown; their prefix is a setting. */
const OF_DELIVERIES = /-(?:signature|event-id|event-type)$/

const shownOf = (headers: IncomingHttpHeaders, body: Buffer): StreamedEvent => {
  const shown = Object.entries(headers).filter(([name]) => OF_DELIVERIES.test(name))
  const data = JSON.stringify({
    received_at: new Date().toISOString(),
    headers: Object.fromEntries(shown),
    body: body.toString("utf8")
  })
  return { id: randomUUID(), event: { data } }
}

const makeServer = (link: StartLinkGiven, take: (event: StreamedEvent) => void): Server => {
  const server = createServer({ requestTimeout: SECONDS_MAX * 1000 }, (request, response) => {
    const answer = (status: number) => response.writeHead(status, { connection: "close" }).end()
    if (request.method !== "POST" || !isListenerOf(link, request.url?.slice(1) ?? "")) {
      request.resume()
      return answer(404)
    }
    const chunks: Array<Buffer> = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.byteLength
      if (size <= RECEIVED_BYTES_MAX) chunks.push(chunk)
      else if (!response.headersSent) answer(413)
    })
    request.on("end", () => {
      if (response.headersSent) return
      take(shownOf(request.headers, Buffer.concat(chunks)))
      answer(204)
    })
    request.on("error", () => response.destroy())
  })
  server.maxConnections = CONNECTIONS_MAX
  return server
}

const listening = (server: Server, port: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.once("error", (error) =>
      resume(Effect.logWarning("The listener of the first steps cannot listen", { port, error }))
    )
    server.listen({ port, host: "127.0.0.1" }, () => resume(Effect.void))
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.closeAllConnections()
    server.close(() => resume(Effect.void))
  })

/** Listens until the scope closes. The stream gives all that is kept, and what comes after. */
export const startListener: (link: StartLinkGiven) => Effect.Effect<Stream.Stream<StreamedEvent>, never, Scope.Scope> =
  Effect.fnUntraced(function* (link) {
    const received = yield* PubSub.sliding<StreamedEvent>({ capacity: KEPT, replay: KEPT })
    const server = makeServer(link, (event) => void PubSub.publishUnsafe(received, event))
    yield* Effect.acquireRelease(listening(server, link.listenerPort), () => closed(server))
    return Stream.fromPubSub(received)
  })

/** Where webhooks are received. */
export const listenerUrlOf = ({ listenerPort, listenerToken }: StartLinkGiven): string =>
  `http://127.0.0.1:${listenerPort}/${listenerToken}`
