import { Signals, useCase, type WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { RunStore } from "../ports/RunStore.ts"
import { isTerminal, type RunId, RunNotFound } from "../Run.ts"
import { runEnded } from "../signals.ts"

/** A signal may be lost; a waiting reader looks at least this often. */
const LOOK_SECONDS = 5

export interface ReadRun {
  readonly caller: WorkspaceCaller
  readonly runId: RunId
  /** How long to wait for the run to end; 0 answers at once. */
  readonly waitSeconds: number
}

/** The run as it is, or as it is once it has ended or the wait is over. Spec: Runs and sessions, poll. */
export const readRun = useCase("runs.readRun")(function* (query: ReadRun) {
  const runs = yield* RunStore
  const find = Effect.flatMap(runs.find(query.caller.workspaceId, query.runId), (run) =>
    run === undefined ? Effect.fail(new RunNotFound()) : Effect.succeed(run)
  )
  if (query.waitSeconds === 0) return yield* find

  const signals = yield* Signals
  const millis = Effect.map(DateTime.now, DateTime.toEpochMillis)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const ended = yield* signals.listen(runEnded(query.runId))
      const until = (yield* millis) + query.waitSeconds * 1000
      while (true) {
        const run = yield* find
        const left = until - (yield* millis)
        if (isTerminal(run) || left <= 0) return run
        yield* ended(Math.min(LOOK_SECONDS, left / 1000))
      }
    })
  )
})
