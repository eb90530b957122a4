import { atomic, type Transaction, type WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { RunHistory } from "../ports/RunHistory.ts"
import type { RunId } from "../Run.ts"

/** How many runs are looked at in one transaction. */
const PORTION = 500

/**
 * The shortest history, in days, so that the runs of a month are still there when it is billed. A month lasts up to 31 days, begins
 * up to 14 hours earlier in one place than in another, and its last day is final a day after its end.
 */
export const RUN_HISTORY_DAYS_MIN = 35

/** How far forgetting has come. */
export interface ForgettingRuns {
  readonly runs: number
  readonly sessions: number
  /** How many runs were looked at, including those that stay, and how many there were when it began. */
  readonly seen: number
  readonly total: number
  /** The position from which the next call continues. */
  readonly after: RunId
}

/**
 * Forgets sessions whose last run ended more than `days` ago, with their runs and logs, one portion a transaction. Goes on after the
 * run `after`; `onPortion` gets its progress, with a total of 0 where one workspace is named. Safe to do at any time, twice and at once.
 */
export const forgetRuns = useCase("runs.forgetRuns")(function* <R = never>(options: {
  /** Forgets the runs of this workspace alone. */
  readonly workspaceId?: WorkspaceId | undefined
  /** Called in the same transaction, to forget what other domains keep of these runs. */
  readonly forgetBelongings?: ((ids: ReadonlyArray<RunId>) => Effect.Effect<void, never, R | Transaction>) | undefined

  readonly days: number
  readonly after: RunId | undefined
  readonly onPortion: (progress: ForgettingRuns) => Effect.Effect<void>
}) {
  const history = yield* RunHistory
  const before = DateTime.subtract(yield* DateTime.now, { days: options.days })
  const { forgetBelongings, workspaceId } = options
  let { after } = options
  const total = workspaceId === undefined ? yield* history.count({ before, after }) : 0
  const portion = Effect.fnUntraced(function* () {
    const forgotten = yield* history.forget({ before, after, limit: PORTION, workspaceId })
    if (forgetBelongings !== undefined && forgotten.ids.length > 0) yield* forgetBelongings(forgotten.ids)
    return forgotten
  })
  let [runs, sessions, kept] = [0, 0, 0]
  while (true) {
    const forgotten = yield* atomic(portion())
    runs += forgotten.runs
    sessions += forgotten.sessions
    kept += forgotten.kept
    if (forgotten.last === undefined) return { runs, sessions }
    after = forgotten.last
    yield* options.onPortion({ runs, sessions, seen: runs + kept, total, after })
  }
})
