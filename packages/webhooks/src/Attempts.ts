import { beginSpan, type Egress, SecretBox } from "@agent-platform/kernel"
import { Clock, DateTime, Effect, Exit, FiberSet, type Scope } from "effect"
import type { Mac } from "effect/crypto"
import type { AttemptOutcome } from "./Delivery.ts"
import { makeEndpointSecrets } from "./EndpointSecrets.ts"
import type { SendableDelivery } from "./ports/DeliveryStore.ts"
import { attemptDelivery } from "./use-cases/attemptDelivery.ts"

/** What an attempt needs. */
export type AttemptPorts = Egress | Mac.Mac | SecretBox

/** Begins attempts of deliveries. */
export interface Attempts {
  /**
   * Begins an attempt, without waiting for its end or for anything that is not at hand. `ended` is told once what came of
   * it, a defect included.
   */
  readonly begin: (sent: SendableDelivery, ended: Ended) => Begun
}

type Ended = (outcome: Exit.Exit<AttemptOutcome>) => void
type Begun = Effect.Effect<void, never, AttemptPorts>

/** What ended has the span of the attempt end, too. */
const traced = (sent: SendableDelivery, ended: Ended, begin: (ended: Ended) => Begun): Begun => {
  const { endpointId, eventId, eventType } = sent.delivery
  const attributes = { event_id: eventId, event_type: eventType, endpoint_id: endpointId }
  return Effect.flatMap(beginSpan("webhooks.attempt", { trace: sent.trace, kind: "client", attributes }), (endSpan) =>
    begin(
      endSpan === undefined
        ? ended
        : (outcome) => {
            endSpan(outcome)
            ended(outcome)
          }
    )
  )
}

/** Attempts whose signatures go under `headerPrefix`. Closing the scope ends those that have not begun to send. */
export const makeAttempts = Effect.fnUntraced(function* (
  headerPrefix: string
): Effect.fn.Return<Attempts, never, AttemptPorts | Scope.Scope> {
  const clock = yield* Clock.Clock
  const secrets = makeEndpointSecrets(yield* SecretBox)
  const run = yield* FiberSet.makeRuntime<AttemptPorts>()
  let now = DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())

  /** The time, the same object for all that is asked in one millisecond. */
  const tell = () => {
    const millis = clock.currentTimeMillisUnsafe()
    if (millis !== now.epochMilliseconds) now = DateTime.makeUnsafe(millis)
    return now
  }

  const begin = (sent: SendableDelivery, ended: Ended): Begun => {
    const attemptedAt = tell()
    const signing = secrets.known(sent.endpoint, attemptedAt)
    const attempt = attemptDelivery({ sent, attemptedAt, signing, ended }, { headerPrefix, secrets })
    if (signing !== undefined) return attempt
    // Nobody waits until the secret of somebody else is opened.
    const told = Effect.catchCause(attempt, (cause) => Effect.sync(() => ended(Exit.failCause(cause))))
    return Effect.sync(() => void run(told))
  }

  return {
    begin: (sent, ended) =>
      sent.trace === undefined ? begin(sent, ended) : traced(sent, ended, (told) => begin(sent, told))
  }
})
