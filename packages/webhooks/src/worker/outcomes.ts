/** Hands the outcomes of attempts on to be written. */
import type { Meter } from "@agent-platform/toolkit"
import { type Cause, DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type AttemptOutcome, Delivery, isSuccess } from "../Delivery.ts"
import { measureAttempt } from "../measures.ts"
import type { HeldDelivery } from "./HeldDelivery.ts"
import type { SettlementQueue } from "./SettlementQueue.ts"

/** How finely the jitter of a retry is drawn. */
const JITTER_STEPS = 1_000_000

export interface OutcomeOptions {
  readonly meter: Meter
  readonly settlements: Pick<SettlementQueue, "add">
  readonly random: SecureRandom.SecureRandom["Service"]
  /** Called with each claim that is left to lapse. */
  readonly abandoned: (claimToken: string) => void
  readonly leaseSeconds: number
  readonly retryDelaysSeconds: ReadonlyArray<number>
}

/** Takes in how attempts ended: works out the deliveries after them, and adds both to the settlements. */
export const makeOutcomes = (options: OutcomeOptions) => {
  const { abandoned, leaseSeconds, meter, random, retryDelaysSeconds, settlements } = options
  const settle = (held: HeldDelivery, outcome: AttemptOutcome, jitter: number) => {
    const { attemptedAt, durationMillis, error, remoteIp, responseCode, responseExcerpt } = outcome
    const attempt = { attemptedAt, durationMillis, responseCode, error, responseExcerpt, remoteIp }
    const delivery = Delivery.afterAttempt(held.sent.delivery, outcome, jitter, retryDelaysSeconds)
    measureAttempt(meter, attempt, delivery)
    settlements.add({ kind: "attempt", held, delivery, attempt })
  }

  return {
    /** An attempt has ended. Returns the effect that is still to be run: none for a success, which needs no jitter and is the usual case. */
    attempted: (held: HeldDelivery, outcome: AttemptOutcome): Effect.Effect<void> | undefined => {
      if (!isSuccess(outcome.responseCode)) {
        return Effect.map(random.intBetween(0, JITTER_STEPS), (step) => settle(held, outcome, step / JITTER_STEPS))
      }
      settle(held, outcome, 0)
      return undefined
    },

    /**
     * Takes in a delivery that could not be attempted, by a fault of ours. Its next try comes when a claim would lapse, so that
     * it is not tried again and again.
     */
    unattempted: (held: HeldDelivery, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const { claimToken, event, sent } = held
        yield* Effect.logError("A delivery could not be attempted", cause)
        if (claimToken !== undefined) return abandoned(claimToken)
        // Without a claim it has no row yet: one is written, so that its event can leave the outbox.
        const nextAttemptAt = DateTime.add(yield* DateTime.now, { seconds: leaseSeconds })
        settlements.add({ kind: "unattempted", delivery: { ...sent.delivery, nextAttemptAt }, event, held })
      })
  }
}
