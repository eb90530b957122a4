import { Context, Deferred, Effect, Fiber } from "effect"
import { type Transaction, UnitOfWork } from "../ports/UnitOfWork.ts"

/**
 * Whether transactions of the storage under test are open beside each other, as those of databases are. One whose transactions
 * run one after another says so with `Layer.succeed(TransactionsOverlap, false)`: a case in which one overtakes another would
 * wait for ever over it.
 */
export const TransactionsOverlap = Context.Reference<boolean>("@agent-platform/kernel/testing/TransactionsOverlap", {
  defaultValue: () => true
})

/**
 * What `quick` answers, which runs as a whole while a transaction is open in which `slow` has written all it writes. Where
 * transactions do not overlap, `quick` waits for that one's commit and runs after it.
 */
export const overtaking = <A, E, E2, R, R2>(
  slow: Effect.Effect<unknown, E, R>,
  quick: Effect.Effect<A, E2, R2>
): Effect.Effect<A, E | E2, Exclude<R, Transaction> | R2 | UnitOfWork> =>
  Effect.gen(function* () {
    const unit = yield* UnitOfWork
    const [written, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const hold = Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(mayCommit))
    const writing = yield* Effect.forkChild(unit.atomic(Effect.andThen(slow, hold)))
    yield* Effect.raceFirst(Deferred.await(written), Fiber.join(writing))
    const passing = yield* Effect.forkChild(quick, { startImmediately: true })
    if (yield* TransactionsOverlap) yield* Fiber.await(passing)
    yield* Deferred.succeed(mayCommit, undefined)
    yield* Fiber.join(writing)
    return yield* Fiber.join(passing)
  })
