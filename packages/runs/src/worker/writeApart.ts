/** Large and refused writes, apart from the batches that all runs of a worker share. */
import { Cause, DateTime, Effect, Exit, Semaphore } from "effect"
import { RunLog } from "../ports/RunLog.ts"
import { failure, Run, RunId } from "../Run.ts"
import { type BatchPorts, type Unwritten, writeBatch } from "./writeBatch.ts"

/** How often a write is tried, once a second, that the store refuses although it answers. The run's claim is renewed meanwhile. */
const TRIES_MAX = 30

/** Most transactions at once: the store has others to answer. */
const TRANSACTIONS_MAX = 4

/** An id that no run has. */
const NO_RUN = RunId.make("00000000-0000-0000-0000-000000000000")

/** Whether the store answers at all: then a write that it refuses is at fault itself. */
const storeAnswers = Effect.gen(function* () {
  const log = yield* RunLog
  const probe = yield* Effect.exit(log.read(NO_RUN, { after: 0, limit: 1 }))
  return Exit.isSuccess(probe)
})

/** Whether our own code threw this: then it would throw again at every try. */
const isThrown = (cause: Cause.Cause<never>): boolean =>
  cause.reasons.some(
    (reason) => Cause.isDieReason(reason) && (reason.defect instanceof TypeError || reason.defect instanceof RangeError)
  )

/** Replaces the unwritten output of a run by its failure. */
const failInstead = (one: Unwritten, now: DateTime.Utc) => {
  const ending = failure("internal_error", "What the run did could not be stored")
  one.events.length = 0
  one.toSave = undefined
  one.settling = { ...one.settling, becomes: (run) => Run.finished(run, ending, now) }
}

/**
 * Writes a batch until each write in it is stored or given up. With a `cause` the batch as a whole was just refused for it. A refused
 * batch is halved until the faulty write is alone. That is tried for half a minute, unless our own code throws, and then its run fails
 * without it. While the store is away, nothing is given up.
 */
export const makeWriteApart = () => {
  const permits = Semaphore.makeUnsafe(TRANSACTIONS_MAX)

  const attempt = (batch: ReadonlyArray<Unwritten>, tries: number): Effect.Effect<void, never, BatchPorts> =>
    Effect.matchCauseEffect(permits.withPermit(writeBatch(batch)), {
      onSuccess: () =>
        Effect.sync(() => {
          for (const one of batch) one.done()
        }),
      onFailure: (cause) => recover(batch, tries, cause)
    })

  const recover = Effect.fnUntraced(function* (
    batch: ReadonlyArray<Unwritten>,
    tries: number,
    cause: Cause.Cause<never>
  ): Effect.fn.Return<void, never, BatchPorts> {
    const names = batch.map(({ claimed }) => claimed.run.id).join(", ")
    if (!(yield* storeAnswers)) {
      yield* Effect.logWarning(`What runs ${names} did is stored when the store is back`, cause)
      yield* Effect.sleep("1 second")
      return yield* attempt(batch, tries)
    }
    const [one] = batch
    if (one === undefined) return
    if (batch.length > 1) {
      const middle = batch.length >> 1
      const halves = [batch.slice(0, middle), batch.slice(middle)]
      return yield* Effect.forEach(halves, (half) => attempt(half, tries), { concurrency: 2, discard: true })
    }
    if (tries < TRIES_MAX && !isThrown(cause)) {
      yield* Effect.logWarning(`What run ${names} did could not be stored yet`, cause)
      yield* Effect.sleep("1 second")
      return yield* attempt(batch, tries + 1)
    }
    yield* Effect.logError(`What run ${names} did could not be stored, it is given up`, cause)
    if (one.settling === undefined) one.refused()
    else {
      failInstead(one, yield* DateTime.now)
      yield* Effect.exit(permits.withPermit(writeBatch(batch)))
    }
    one.done()
  })

  return (batch: ReadonlyArray<Unwritten>, cause?: Cause.Cause<never>) =>
    cause === undefined ? attempt(batch, 0) : recover(batch, 0, cause)
}
