/** Requests that wait for the end of a run. */
import { type Run, type RunId, Runs } from "@agent-platform/runs"
import { Effect } from "effect"
import type { Refusal } from "./CredentialWatch.ts"
import { workspaceCaller } from "./callers.ts"
import { Draining } from "./Draining.ts"
import { waiting } from "./edge/within.ts"
import { LongAnswers } from "./LongAnswers.ts"

/** An effect that fails once the request's credential is refused; undefined for a request without a wait. */
type Watch = Effect.Effect<never, Refusal> | undefined

/** Makes functions that read a run once it has ended. A wait counts among the long answers until it is over. */
export const makeAwaitedRuns = Effect.gen(function* () {
  const runs = yield* Runs
  const draining = yield* Draining
  const { open } = yield* LongAnswers

  /** Counts a wait among the long answers. */
  const openWait = (waitSeconds: number) => (waitSeconds === 0 ? Effect.undefined : open)

  /** The run once it has ended, the wait is over, or this process begins to stop. Fails as soon as `untilRefused` fails. */
  const read = Effect.fnUntraced(function* (runId: RunId, waitSeconds: number, untilRefused: Watch) {
    const caller = yield* workspaceCaller
    const now = runs.readRun({ caller, runId, waitSeconds: 0 })
    if (untilRefused === undefined) return yield* now
    const awaited = runs
      .readRun({ caller, runId, waitSeconds })
      .pipe(Effect.raceFirst(Effect.andThen(draining.begun, now)), Effect.raceFirst(untilRefused))
    return yield* waiting(awaited, waitSeconds)
  })

  /** An accepted run as `read` finds it. Without a wait, or when the run was deleted meanwhile, the given run is returned. */
  const awaited = (run: Run, waitSeconds: number, untilRefused: Watch) =>
    untilRefused === undefined
      ? Effect.succeed(run)
      : Effect.catchTag(read(run.id, waitSeconds, untilRefused), "RunNotFound", () => Effect.succeed(run))

  return { awaited, openWait, read }
})
