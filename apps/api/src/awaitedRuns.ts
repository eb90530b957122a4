/** Requests that wait for the end of a run. */
import { type Run, type RunId, Runs } from "@agent-platform/runs"
import { Effect } from "effect"
import { workspaceCaller } from "./callers.ts"
import { Draining } from "./Draining.ts"
import { waiting } from "./edge/within.ts"
import type { Refusal } from "./KeyWatch.ts"
import { LongAnswers } from "./LongAnswers.ts"

type Ended = Effect.Effect<never, Refusal> | undefined

/** Makes functions that read a run once it has ended. A wait counts among the long answers until it is over. */
export const makeAwaitedRuns = Effect.gen(function* () {
  const runs = yield* Runs
  const draining = yield* Draining
  const { open } = yield* LongAnswers

  /** Counts a wait and returns an effect that fails once the request's credential is refused; undefined without a wait. */
  const openWait = (waitSeconds: number) => (waitSeconds === 0 ? Effect.undefined : open)

  /** The run once it has ended, the wait is over, or this process begins to stop. Fails as soon as `ended` fails. */
  const read = Effect.fnUntraced(function* (runId: RunId, waitSeconds: number, ended: Ended) {
    const caller = yield* workspaceCaller
    const now = runs.readRun({ caller, runId, waitSeconds: 0 })
    if (ended === undefined) return yield* now
    const awaited = runs
      .readRun({ caller, runId, waitSeconds })
      .pipe(Effect.raceFirst(Effect.andThen(draining.begun, now)), Effect.raceFirst(ended))
    return yield* waiting(awaited, waitSeconds)
  })

  /** An accepted run as `read` finds it. Without a wait, or when the run was deleted meanwhile, the given run is returned. */
  const awaited = (run: Run, waitSeconds: number, ended: Ended) =>
    ended === undefined
      ? Effect.succeed(run)
      : Effect.catchTag(read(run.id, waitSeconds, ended), "RunNotFound", () => Effect.succeed(run))

  return { awaited, openWait, read }
})
