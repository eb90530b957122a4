import { Signals, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Clock, Effect } from "effect"
import { RunReader } from "../ports/RunReader.ts"
import { isTerminal, type RunId, RunNotFound } from "../Run.ts"
import { runEnded } from "../signals.ts"

/** A signal may be lost; a waiting reader looks at least this often. */
const LOOK_SECONDS = 5

export interface ReadRun {
  readonly caller: WorkspaceCaller
  readonly runId: RunId
  /** How long to wait for the run to end; 0 returns it at once. */
  readonly waitSeconds: number
}

/** The workspace's run. Fails with RunNotFound. */
export const findRun = ({ caller, runId }: Pick<ReadRun, "caller" | "runId">) =>
  Effect.flatMap(
    RunReader.use((runs) => runs.find(caller.workspaceId, runId)),
    (run) => (run === undefined ? Effect.fail(new RunNotFound()) : Effect.succeed(run))
  )

const awaitEnd = Effect.fnUntraced(function* (query: ReadRun) {
  const signals = yield* Signals
  const ended = yield* signals.listen(runEnded(query.runId))
  const until = (yield* Clock.currentTimeMillis) + query.waitSeconds * 1000
  while (true) {
    const run = yield* findRun(query)
    const left = until - (yield* Clock.currentTimeMillis)
    if (isTerminal(run) || left <= 0) return run
    yield* ended(Math.min(LOOK_SECONDS, left / 1000))
  }
}, Effect.scoped)

/** The run, at once or when it has ended or the wait is over. Spec: Runs and sessions 2. */
export const readRun = useCase("runs.readRun")(function* (query: ReadRun) {
  return yield* query.waitSeconds === 0 ? findRun(query) : awaitEnd(query)
})
