import { atomic, type Transaction, type WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { RunHistory } from "../ports/RunHistory.ts"
import type { RunId } from "../Run.ts"

/** How many runs are looked at in one transaction. */
const PORTION = 500

/**
 * The shortest history, in days, so that a month can be looked into run by run when it is billed. A month lasts 31 days, begins
 * up to 14 hours earlier in one place than in another, and its last day is final a day after its end.
 */
export const RUN_HISTORY_DAYS_MIN = 35

/** How far forgetting has come. */
export interface ForgettingRuns {
  readonly runs: number
  readonly sessions: number
  /** How many were looked at, those that stay among them, and how many there were to look at when it began. */
  readonly seen: number
  readonly total: number
  /** Where it goes on after this. */
  readonly after: RunId
}

/**
 * Forgets sessions whose last run ended more than `days` ago, with their runs and logs, a portion in a transaction. Goes on
 * behind the run `after`; `onPortion` gets its progress, and a total where it goes through all workspaces. Safe to do at any time, twice and at once.
 */
export const forgetRuns = useCase("runs.forgetRuns")(function* <R = never>(options: {
  /** Those of one workspace alone. */
  readonly workspaceId?: WorkspaceId | undefined
  /** Forgets in the same transaction what belongs to the runs elsewhere; nothing unless given. */
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
