import { type Created, freshId, Transaction } from "@agent-platform/kernel"
import { currentTraceparent } from "@agent-platform/toolkit"
import { Effect, Option, Result } from "effect"
import { RunReader } from "../ports/RunReader.ts"
import { type Run, RunId } from "../Run.ts"
import { type AcceptanceRefusal, acceptRuns } from "./acceptRuns.ts"
import { BatchedAcceptance } from "./BatchedAcceptance.ts"
import { NeedsOwnTransaction, type Trigger } from "./Trigger.ts"

type Answer<E> = Result.Result<Created<Run>, E | AcceptanceRefusal | NeedsOwnTransaction>

/** The answer of a batch; undefined where its transaction failed before it was committed. */
const inBatch = Effect.fnUntraced(function* <E>(trigger: Trigger<E>) {
  const batches = yield* BatchedAcceptance
  const runs = yield* RunReader
  const found = Effect.map(
    runs.find(trigger.caller.workspaceId, trigger.runId),
    (run): Answer<E> | undefined => run && Result.succeed({ value: run, replayed: false })
  )
  // A batch that died may have been committed, if only the answer of its commit was lost.
  return yield* Effect.catchCause(batches.accept(trigger), () => found)
})

const needsOwnTransaction = <E>(answer: Answer<E>): boolean =>
  Result.isFailure(answer) && answer.failure instanceof NeedsOwnTransaction

/**
 * Accepts one trigger: in a batch with others where it may share a transaction, and else, or where the batch could not accept
 * it, by itself. Inside a transaction it stays in that one. Fails with the refusals of its plan and of all triggers.
 */
export const acceptRun = Effect.fnUntraced(
  function* <E>(asked: Omit<Trigger<E>, "runId" | "trace">) {
    const trigger: Trigger<E> = { ...asked, runId: yield* freshId(RunId), trace: yield* currentTraceparent }
    const isInTransaction = Option.isSome(yield* Effect.serviceOption(Transaction))
    const batched = trigger.isShareable && !isInTransaction ? yield* inBatch(trigger) : undefined
    if (batched !== undefined && !needsOwnTransaction(batched)) return yield* Effect.fromResult(batched)
    const [answer] = yield* acceptRuns([trigger], "alone")
    return yield* Effect.fromResult(answer as Answer<E>)
  },
  // A trigger that is alone may wait, so nothing refuses it for that.
  Effect.catchTag("NeedsOwnTransaction", Effect.die)
)
