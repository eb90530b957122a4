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
const REQUEST_SECONDS_MAX = 10

/** How long a test is waited for that is to be refused. */
const REFUSAL_MILLIS = 30_000

/** The headers of deliveries that are shown; their prefix is a setting. */
const OF_DELIVERIES = /-(?:signature|event-id|event-type)$/

const shownOf = (headers: IncomingHttpHeaders, body: string, answered: number): StreamedEvent => {
  const shown = Object.entries(headers).filter(([name]) => OF_DELIVERIES.test(name))
  const data = JSON.stringify({
    received_at: new Date().toISOString(),
    answered,
    headers: Object.fromEntries(shown),
    body
  })
  return { id: randomUUID(), event: { data } }
}

const isTest = (body: string): boolean => {
  try {
    return JSON.parse(body)?.data?.test === true
  } catch {
    return false
  }
}

/** Takes what comes; `answerTo` says with which status. */
const makeServer = (
  link: StartLinkGiven,
  answerTo: (body: string) => number,
  take: (event: StreamedEvent) => void
): Server => {
  const server = createServer({ requestTimeout: REQUEST_SECONDS_MAX * 1000 }, (request, response) => {
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
      const body = Buffer.concat(chunks).toString("utf8")
      const status = answerTo(body)
      take(shownOf(request.headers, body, status))
      answer(status)
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

/** The listener of the first steps. */
export interface Listener {
  /** All that is kept, and what comes after. */
  readonly received: Stream.Stream<StreamedEvent>
  /** Has the next test be answered 500, once, where it comes soon: so a delivery that fails is to be seen. */
  readonly refuseNext: () => void
}

/** Listens until the scope closes. */
export const startListener: (link: StartLinkGiven) => Effect.Effect<Listener, never, Scope.Scope> = Effect.fnUntraced(
  function* (link) {
    const received = yield* PubSub.sliding<StreamedEvent>({ capacity: KEPT, replay: KEPT })
    let refusesUntil = 0
    const answerTo = (body: string) => {
      if (Date.now() > refusesUntil || !isTest(body)) return 204
      refusesUntil = 0
      return 500
    }
    const server = makeServer(link, answerTo, (event) => void PubSub.publishUnsafe(received, event))
    yield* Effect.acquireRelease(listening(server, link.listenerPort), () => closed(server))
    return {
      received: Stream.fromPubSub(received),
      refuseNext: () => {
        refusesUntil = Date.now() + REFUSAL_MILLIS
      }
    }
  }
)

/** Where webhooks are received. */
export const listenerUrlOf = ({ listenerPort, listenerToken }: StartLinkGiven): string =>
  `http://127.0.0.1:${listenerPort}/${listenerToken}`
