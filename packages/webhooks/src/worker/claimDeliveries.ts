import { Signals } from "@agent-platform/kernel"
import { persistently } from "@agent-platform/toolkit"
import { Clock, Effect, Queue } from "effect"
import { deliveriesDue } from "../jobs.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import type { DeliveryWorkerOptions } from "./DeliveryWorker.ts"
import type { Sender } from "./Sender.ts"

/** Due deliveries that could not be claimed are not looked for more often than this. */
const CLAIM_MILLIS_MIN = 250

/** Looking for them takes at most one part in this many of the time, however many there are. */
const CLAIM_SHARE = 10

interface ClaimParts {
  readonly options: DeliveryWorkerOptions
  readonly sender: Pick<Sender, "accept" | "claimLimits" | "listen">
  /** The claims that this worker renews. */
  readonly claims: Set<string>
  /** Has an element when this worker has written a pending delivery: it may be due before those that it waits for. */
  readonly pending: Queue.Dequeue<void>
}

/** Begins to listen, and returns the loop that claims due deliveries while the sender is below its limits. */
export const claimDeliveries = ({ claims, options, pending, sender }: ClaimParts) =>
  Effect.gen(function* () {
    const deliveries = yield* DeliveryQueue
    const signals = yield* Signals
    const clock = yield* Clock.Clock
    const nextSignal = yield* signals.listen(deliveriesDue)
    const attemptEnded = yield* sender.listen

    // Returns whether the limits are used up. Not interruptible: a stopping worker waits only for claims that it knows of.
    const claim = Effect.fnUntraced(function* () {
      const limits = sender.claimLimits()
      if (limits.max === 0) return true
      const claimed = yield* deliveries.claimDue({ ...limits, leaseSeconds: options.leaseSeconds })
      // The limits may have been reached by other attempts meanwhile.
      const excess = claimed.filter((one) => {
        const accepted = sender.accept(one)
        if (accepted) claims.add(one.claimToken)
        return !accepted
      })
      if (excess.length > 0) yield* deliveries.release(excess.map((one) => one.claimToken))
      return claimed.length >= limits.max
    }, Effect.uninterruptible)

    return persistently(
      "Claiming deliveries",
      Effect.gen(function* () {
        const startedAt = clock.currentTimeMillisUnsafe()
        const isFull = yield* claim()
        const spent = clock.currentTimeMillisUnsafe() - startedAt
        if (isFull) return yield* Effect.raceFirst(attemptEnded, Effect.sleep(`${options.pollSeconds} seconds`))
        const millis = yield* deliveries.millisUntilDue
        if (millis !== undefined && millis <= 0) {
          yield* Effect.sleep(Math.max(CLAIM_MILLIS_MIN, spent * (CLAIM_SHARE - 1)))
          return yield* Effect.raceFirst(nextSignal(options.pollSeconds), attemptEnded)
        }
        const seconds = Math.min(options.pollSeconds, millis === undefined ? Number.POSITIVE_INFINITY : millis / 1000)
        // Waits for 10 ms at least, or the last of them would be spent asking.
        yield* Effect.raceFirst(nextSignal(Math.max(0.01, seconds)), Queue.take(pending))
      })
    )
  })
