/** Answers that wait for the end of a run. */
import { type Run, type RunId, Runs } from "@agent-platform/runs"
import { Effect } from "effect"
import { workspaceCaller } from "./callers.ts"
import { Draining } from "./Draining.ts"
import { waiting } from "./edge/within.ts"
import type { Refusal } from "./KeyWatch.ts"
import { LongAnswers } from "./LongAnswers.ts"

type Ended = Effect.Effect<never, Refusal> | undefined

/** Makes what reads runs once they have ended. A wait counts among the long answers until it is over. */
export const makeAwaitedRuns = Effect.gen(function* () {
  const runs = yield* Runs
  const draining = yield* Draining
  const { open } = yield* LongAnswers

  /** Fails once the credential of a waiting request ends; undefined for an answer without a wait. */
  const openWait = (waitSeconds: number) => (waitSeconds === 0 ? Effect.undefined : open)

  /** The run once it has ended, the wait is over, or this process stops; fails once `ended` does. */
  const read = Effect.fnUntraced(function* (runId: RunId, waitSeconds: number, ended: Ended) {
    const caller = yield* workspaceCaller
    const now = runs.readRun({ caller, runId, waitSeconds: 0 })
    if (ended === undefined) return yield* now
    const awaited = runs
      .readRun({ caller, runId, waitSeconds })
      .pipe(Effect.raceFirst(Effect.andThen(draining.begun, now)), Effect.raceFirst(ended))
    return yield* waiting(awaited, waitSeconds)
  })

  /** A run that was accepted, as `read` finds it; as it is where there is no wait, or it is forgotten meanwhile. */
  const awaited = (run: Run, waitSeconds: number, ended: Ended) =>
    ended === undefined
      ? Effect.succeed(run)
      : Effect.catchTag(read(run.id, waitSeconds, ended), "RunNotFound", () => Effect.succeed(run))

  return { awaited, openWait, read }
})
