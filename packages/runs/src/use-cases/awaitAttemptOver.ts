import { Signals } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { RunReader } from "../ports/RunReader.ts"
import type { Run } from "../Run.ts"
import { runCancelRequested, runEnded } from "../signals.ts"

/** How often an attempt is looked at without a signal: a run that is handed back or lost raises neither of the two below. */
const LOOK_SECONDS = 3

/** Whether this attempt lasts, by the run as it reads now: it is executed under this number, and not to be cancelled. */
export const lasts = (run: Run, attempt: number): boolean =>
  run.status === "running" && run.attempt === attempt && run.cancelRequestedAt === null

/** Waits until the attempt of a run is over. */
export const awaitAttemptOver = useCase("runs.awaitAttemptOver")(function* ({
  attempt,
  id,
  workspaceId
}: Pick<Run, "id" | "workspaceId" | "attempt">) {
  const runs = yield* RunReader
  const signals = yield* Signals
  const ended = yield* signals.listen(runEnded(id))
  const cancelled = yield* signals.listen(runCancelRequested(id))
  while (true) {
    const run = yield* runs.find(workspaceId, id)
    if (run === undefined || !lasts(run, attempt)) return
    yield* Effect.raceFirst(ended(LOOK_SECONDS), cancelled(LOOK_SECONDS))
  }
}, Effect.scoped)
