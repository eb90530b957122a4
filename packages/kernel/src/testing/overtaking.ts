import { Context, Deferred, Effect, Fiber } from "effect"
import { type Transaction, UnitOfWork } from "../ports/UnitOfWork.ts"

/**
 * Whether the storage under test can have two transactions open beside each other that write for the same owner. One whose
 * transactions wait for each other says that it cannot, with `Layer.succeed(TransactionsOverlap, false)`.
 */
export const TransactionsOverlap = Context.Reference<boolean>("@agent-platform/kernel/testing/TransactionsOverlap", {
  defaultValue: () => true
})

/** How long a suite waits before it fails with the likely reason, instead of waiting for ever. */
const STUCK = "30 seconds"

const stuck = new Error(
  "A transaction waits for another one that is open: a storage in which this is right provides TransactionsOverlap with false"
)

/**
 * Runs `slow` in a transaction, `quick` while that is still open, then `meanwhile`, and commits; returns the result of
 * `meanwhile`. Where transactions do not overlap, `quick` only begins before the commit and ends after it.
 */
export const overtaking = <A, E, E2, E3, R, R2, R3>(
  slow: Effect.Effect<unknown, E, R>,
  quick: Effect.Effect<unknown, E2, R2>,
  meanwhile: Effect.Effect<A, E3, R3>
): Effect.Effect<A, E | E2 | E3, Exclude<R, Transaction> | R2 | R3 | UnitOfWork> =>
  Effect.gen(function* () {
    const unit = yield* UnitOfWork
    const [begun, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hold = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(mayCommit))
    const writing = yield* Effect.forkChild(unit.atomic(Effect.andThen(slow, hold)))
    yield* Effect.raceFirst(Deferred.await(begun), Fiber.join(writing))
    const passing = yield* Effect.forkChild(quick, { startImmediately: true })
    if (yield* TransactionsOverlap) {
      yield* Effect.timeoutOrElse(Fiber.await(passing), { duration: STUCK, orElse: () => Effect.die(stuck) })
    }
    const answer = yield* meanwhile
    yield* Deferred.succeed(mayCommit, undefined)
    yield* Fiber.join(writing)
    yield* Fiber.join(passing)
    return answer
  })
