import { Egress, SecretBox } from "@agent-platform/kernel"
import { makeBeginSpan } from "@agent-platform/toolkit"
import { Cause, Clock, DateTime, Effect, Exit, FiberSet, Result, type Scope } from "effect"
import type { AttemptOutcome } from "../Delivery.ts"
import type { SendableDelivery } from "../SendableDelivery.ts"
import { attemptDelivery, type BegunAttempt, unanswered } from "./attemptDelivery.ts"
import { makeEndpointSecrets } from "./EndpointSecrets.ts"

/** The ports of attempts. */
export type AttemptPorts = Egress | SecretBox

/** Begins attempts of deliveries. */
export interface Attempts {
  /**
   * Begins an attempt, without waiting for its end or for anything that is not at hand. `ended` is called once with
   * the outcome, which may be a defect.
   */
  readonly begin: (sent: SendableDelivery, ended: Ended) => void
}

type Ended = (outcome: Exit.Exit<AttemptOutcome>) => void

/** Attempts whose signatures go under `headerPrefix`, sent as `userAgent`. Closing the scope ends those that have not begun to send. */
export const makeAttempts = Effect.fnUntraced(function* (
  headerPrefix: string,
  userAgent?: string
): Effect.fn.Return<Attempts, never, AttemptPorts | Scope.Scope> {
  const clock = yield* Clock.Clock
  const endpointSecrets = makeEndpointSecrets(yield* SecretBox)
  const run = yield* FiberSet.makeRuntime()
  const beginSpan = yield* makeBeginSpan
  const parts = { egress: yield* Egress, headerPrefix, userAgent }

  /** Reports a defect as the end of the attempt: without one the delivery would stay in flight for ever. */
  const attempt = (begun: BegunAttempt) => {
    try {
      attemptDelivery(parts, begun)
    } catch (defect) {
      begun.ended(Exit.die(defect))
    }
  }

  /** Opens the secrets, then begins. A secret that cannot be opened, as when its key is not here, ends the attempt as failed. */
  const openAndBegin = (sent: SendableDelivery, attemptedAt: DateTime.Utc, ended: Ended) =>
    endpointSecrets.open(sent.endpoint, attemptedAt).pipe(
      Effect.matchCauseEffect({
        onSuccess: (secrets) => Effect.sync(() => attempt({ sent, attemptedAt, secrets, ended })),
        onFailure: (cause) => {
          const unreadable = Cause.findError(cause)
          // A cause without an error is a defect or an interruption.
          if (Result.isFailure(unreadable)) return Effect.sync(() => ended(Exit.failCause(unreadable.failure)))
          return Effect.map(
            Effect.logError(`The signing secret of endpoint ${sent.endpoint.id} cannot be opened`, unreadable.success),
            () => ended(unanswered(attemptedAt, "secret_unreadable: The signing secret cannot be opened"))
          )
        }
      })
    )

  return {
    begin: (sent, ended) => {
      const { endpointId, eventId, eventType } = sent.delivery
      const attributes = { event_id: eventId, event_type: eventType, endpoint_id: endpointId }
      const endSpan = beginSpan("webhooks.attempt", { trace: sent.trace, kind: "client", attributes })
      const endedWithSpan: Ended = (outcome) => {
        endSpan?.(outcome)
        ended(outcome)
      }
      const attemptedAt = DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())
      // A delivery whose event is not kept any more has no body, and is not signed.
      const secrets = sent.body === null ? [] : endpointSecrets.known(sent.endpoint, attemptedAt)
      if (secrets !== undefined) attempt({ sent, attemptedAt, secrets, ended: endedWithSpan })
      // Opening a secret takes time that other deliveries need not wait for.
      else run(openAndBegin(sent, attemptedAt, endedWithSpan))
    }
  }
})
