import type { ServerSentEvent } from "@agent-platform/client"
import { EventId } from "@agent-platform/kernel"
import { deliveryHeaders } from "@agent-platform/webhooks"
import { Clock, Effect, type Redacted } from "effect"

/** How long the receiver has to answer, as for a delivery. */
const FORWARD_SECONDS_MAX = 15

/** Why a request failed: `fetch` hides that in the `cause` of its error. */
const reasonOf = (cause: unknown): string => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error ? inner.message || inner.name : String(inner)
}

/** The outcome of one event: the status of the answer, or why there was none. */
export interface Sent {
  readonly event_type: string
  readonly event_id: string
  readonly outcome: string
  readonly duration_ms: number
}

/**
 * Sends an event on as a delivery of it would come: the same bytes, signed under this secret now. There is one attempt, whose
 * outcome it returns. It does not go through the egress guard, since the receiver runs on its developer's machine.
 */
export const forward = Effect.fnUntraced(function* (
  { data, event, id }: ServerSentEvent,
  target: { readonly url: string; readonly secret: Redacted.Redacted; readonly headerPrefix: string }
) {
  const startedAt = yield* Clock.currentTimeMillis
  const headers = deliveryHeaders({
    secrets: [target.secret],
    timestampSeconds: Math.floor(startedAt / 1000),
    eventId: EventId.make(id),
    eventType: event,
    body: data,
    headerPrefix: target.headerPrefix
  })
  const answered = Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(target.url, { method: "POST", headers, body: data, redirect: "manual", signal })
      await response.body?.cancel()
      return response.status
    },
    catch: reasonOf
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${FORWARD_SECONDS_MAX} seconds`,
      orElse: () => Effect.fail(`no answer within ${FORWARD_SECONDS_MAX} seconds`)
    })
  )
  const outcome = yield* Effect.match(answered, {
    onSuccess: (status) => String(status),
    onFailure: (why) => `not delivered: ${why}`
  })
  const sent: Sent = {
    event_type: event,
    event_id: id,
    outcome,
    duration_ms: (yield* Clock.currentTimeMillis) - startedAt
  }
  return sent
})

/** The same as a line for people. */
export const lineOf = (sent: Sent): string =>
  `${sent.event_type} ${sent.event_id} -> ${sent.outcome} (${sent.duration_ms} ms)`
