import { atomic, Signals } from "@agent-platform/kernel"
import { inTrace, untilDone, whileRunning } from "@agent-platform/toolkit"
import { DateTime, Deferred, Effect, Queue } from "effect"
import { measureBeginning, runsExecuting } from "../measures.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import type { Run } from "../Run.ts"
import { runCancelRequested, runChanged } from "../signals.ts"
import type { Execution } from "./Execution.ts"
import { executeTurn } from "./executeTurn.ts"
import type { InFlight } from "./InFlight.ts"
import type { RunWorkerOptions } from "./RunWorkerOptions.ts"

/** A wait for a signal ends after an hour as if one had come: a heartbeat too many does no harm. */
const LISTEN_SECONDS = 3_600

/** Runs an effect while it listens for a cancellation. A signal proves nothing, so it only asks for a heartbeat, which looks. */
const listening = Effect.fnUntraced(function* <A, R>(
  run: Run,
  { heartbeatNow }: InFlight,
  effect: Effect.Effect<A, never, R>
) {
  const signals = yield* Signals
  const asked = yield* signals.listen(runCancelRequested(run.id))
  const beat = Effect.sync(() => Queue.offerUnsafe(heartbeatNow, undefined))
  return yield* Effect.raceFirst(effect, Effect.forever(Effect.andThen(asked(LISTEN_SECONDS), beat)))
}, Effect.scoped)

/** Leaves a run to its agent, which calls back: it takes no slot of a worker any more. */
const leaveToAgent = Effect.fnUntraced(function* ({ claimed }: Execution, seconds: number) {
  const settlement = yield* RunSettlement
  const signals = yield* Signals
  const { claimToken, run } = claimed
  const leave = atomic(
    Effect.tap(settlement.awaitCallback({ runId: run.id, claimToken }, { seconds }), () =>
      signals.raise(runChanged(run.id))
    )
  )
  const isLeft = yield* untilDone("Leaving a run to its agent", leave)
  // The agent may have called back before it answered.
  if (!isLeft) yield* Effect.logInfo(`Run ${run.id} was settled before it was left to its agent`)
})

const toItsEnd = Effect.fnUntraced(function* (execution: Execution, inFlight: InFlight, options: RunWorkerOptions) {
  const { checkpoint, claimed, refusal, stopped, writes } = execution
  const turn = Effect.raceFirst(executeTurn(execution, options), Deferred.await(stopped))
  const outcome = yield* listening(claimed.run, inFlight, turn)
  const { awaitsSeconds } = outcome
  if (awaitsSeconds !== undefined && refusal() === undefined) {
    // From here on no heartbeat may renew the claim, which holds until the agent calls back.
    execution.settling = true
    return yield* Effect.uninterruptible(leaveToAgent(execution, awaitsSeconds))
  }
  const now = yield* DateTime.now
  // Earlier writes can be refused until they are committed, so the refusal is looked at only when the outcome is written.
  const becomes = (current: Run) => (refusal() ?? outcome).becomes(now)(current)
  const settle = Effect.suspend(() => {
    // From here on the heartbeat does not stop the run: its outcome is being written.
    execution.settling = true
    return writes.settle({ becomes, bytes: outcome.bytes, mayHaveCheckpoint: checkpoint.isUsed() })
  })
  const { lost } = yield* Effect.uninterruptible(settle)
  if (lost) yield* Effect.logWarning(`The claim on run ${claimed.run.id} was lost, what it came to is not written`)
})

/** Executes a run to its end, writes its outcome, and frees its slot. */
export const executeRun = (
  execution: Execution,
  inFlight: InFlight,
  options: RunWorkerOptions
): Effect.Effect<void, never, Effect.Services<ReturnType<typeof toItsEnd>>> => {
  const { run } = execution.claimed
  return Effect.andThen(measureBeginning(run), toItsEnd(execution, inFlight, options)).pipe(
    whileRunning(runsExecuting),
    inTrace("runs.execute", {
      trace: run.trace,
      kind: "consumer",
      attributes: { run_id: run.id, recipe: run.recipe, attempt: run.attempt }
    }),
    Effect.annotateLogs({ run_id: run.id, workspace_id: run.workspaceId }),
    Effect.ensuring(
      Effect.sync(() => {
        inFlight.executions.delete(execution)
        Queue.offerUnsafe(inFlight.freed, undefined)
      })
    )
  )
}
