/** Receives webhooks on this machine, for the first steps: the last few are kept in memory and shown to the page as they come. */
import { randomUUID } from "node:crypto"
import { DateTime, Effect, PubSub, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { StreamedEvent } from "../streams.ts"

/** How many are kept. */
const KEPT = 20

/** The largest body that is taken. */
export const RECEIVED_BYTES_MAX = 256 * 1024

/** The headers that a receiver looks at, whatever their prefix is. */
const OF_DELIVERIES = /-(?:signature|event-id|event-type)$/

/** Makes a listener: it takes a request with its body, and gives all that it keeps and what comes after. */
export const makeListener = Effect.gen(function* () {
  const received = yield* PubSub.sliding<StreamedEvent>({ capacity: KEPT, replay: KEPT })
  return {
    take: Effect.fnUntraced(function* ({ headers }: HttpServerRequest.HttpServerRequest, body: ArrayBuffer) {
      const shown = Object.entries(headers).filter(([name]) => OF_DELIVERIES.test(name))
      const data = JSON.stringify({
        received_at: DateTime.formatIso(yield* DateTime.now),
        headers: Object.fromEntries(shown),
        body: new TextDecoder().decode(body)
      })
      yield* PubSub.publish(received, { id: randomUUID(), event: { data } })
    }),
    follow: Stream.fromPubSub(received)
  }
})
