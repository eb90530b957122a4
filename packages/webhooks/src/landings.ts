/** What becomes of a delivery whose attempt has ended. */
import type { Meter } from "@agent-platform/kernel"
import { type Cause, DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type AttemptOutcome, afterAttempt, isSuccess } from "./Delivery.ts"
import { measureAttempt } from "./measures.ts"
import type { HeldDelivery, SettlementQueue } from "./SettlementQueue.ts"

/** How finely the jitter of a retry is drawn. */
const JITTER_STEPS = 1_000_000

/** Whom landings tell. */
export interface LandingOptions {
  readonly meter: Meter
  readonly settlements: Pick<SettlementQueue, "add">
  readonly random: SecureRandom.SecureRandom["Service"]
  /** Is told which claims are left to lapse. */
  readonly abandoned: (claimToken: string) => void
  readonly leaseSeconds: number
}

/** Has ended attempts written. */
export const makeLandings = ({ abandoned, leaseSeconds, meter, random, settlements }: LandingOptions) => {
  const settle = (held: HeldDelivery, outcome: AttemptOutcome, jitter: number) => {
    const { attemptedAt, durationMillis, error, remoteIp, responseCode, responseExcerpt } = outcome
    const attempt = { attemptedAt, durationMillis, responseCode, error, responseExcerpt, remoteIp }
    const delivery = afterAttempt(held.sent.delivery, outcome, jitter)
    measureAttempt(meter, attempt, delivery)
    settlements.add({ kind: "attempt", held, delivery, attempt })
  }

  return {
    /** Has written what an attempt came to; answers what is still to be done for that, which for a success is nothing. */
    attempted: (held: HeldDelivery, outcome: AttemptOutcome): Effect.Effect<void> | undefined => {
      if (!isSuccess(outcome.responseCode)) {
        return Effect.map(random.intBetween(0, JITTER_STEPS), (step) => settle(held, outcome, step / JITTER_STEPS))
      }
      settle(held, outcome, 0)
      return undefined
    },

    /** What cannot even be attempted waits as long as a claim holds, which keeps it from spinning. */
    unattempted: (held: HeldDelivery, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
      Effect.gen(function* () {
        const { claimToken, event, sent } = held
        yield* Effect.logError("A delivery could not be attempted", cause)
        if (claimToken !== undefined) return abandoned(claimToken)
        const nextAttemptAt = DateTime.add(yield* DateTime.now, { seconds: leaseSeconds })
        settlements.add({ kind: "unattempted", delivery: { ...sent.delivery, nextAttemptAt }, event, held })
      })
  }
}
