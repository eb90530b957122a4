import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { HeldRun } from "../ports/RunSettlement.ts"
import { isTerminal, type Run } from "../Run.ts"
import type { NewRunEvent, RunEvent } from "../RunEvent.ts"
import type { SessionId } from "../Session.ts"

/** A run as memory keeps it. */
export interface RunRow {
  readonly run: Run
  /** Its place in the line of its session, from 1. */
  readonly position: number
  readonly claimToken: string | null
  readonly leaseUntil: number
  readonly lastSeq: number
  /** Whether its question has been reminded of. */
  readonly reminded?: true
}

/** The name of the table that numbers the last change of each run, in their order, and the key of the highest number in it. */
export const RUN_CHANGES = "run_change"
export const LAST_CHANGE = "last"

/** The runs of a `MemoryDatabase`. */
export const runRows = (database: MemoryDatabase["Service"]) => {
  const table = database.table<RunRow>("run")
  const changes = database.table<number>(RUN_CHANGES)
  const inSession = (sessionId: SessionId) =>
    Effect.map(table.all, (all) =>
      all.filter(({ run }) => run.sessionId === sessionId).sort((one, two) => one.position - two.position)
    )
  return {
    ...table,
    put: Effect.fnUntraced(function* (id: string, row: RunRow) {
      const before = yield* table.get(id)
      yield* table.put(id, row)
      // A claim, a lease or a longer log is no change of the run for those who follow it.
      if (before?.run === row.run) return
      const number = ((yield* changes.get(LAST_CHANGE)) ?? 0) + 1
      yield* changes.put(id, number)
      yield* changes.put(LAST_CHANGE, number)
    }),
    /** The session's runs, first in line first. */
    inSession,
    /** The rows of runs that have not ended. */
    unfinished: (sessionId: SessionId) =>
      Effect.map(inSession(sessionId), (rows) => rows.filter(({ run }) => !isTerminal(run)))
  }
}

/** Events as the log of a run keeps them after the event with the number `lastSeq`. */
const numbered = (run: Run, lastSeq: number, events: ReadonlyArray<NewRunEvent>): ReadonlyArray<RunEvent> =>
  events.map((event, index) => ({ runId: run.id, sessionId: run.sessionId, seq: lastSeq + index + 1, ...event }))

/** Whether the run's time to live is over, and it has not begun in it. */
export const isExpired = (run: Run, now: DateTime.Utc): boolean =>
  run.attempt === 0 && run.expiresAt !== null && DateTime.isLessThanOrEqualTo(run.expiresAt, now)

/** The run in a row, with its claim. */
export const heldOf = ({ claimToken, run }: RunRow): HeldRun => ({ run, claimToken })

/** Appends to the log of the run in a row, and returns the row as it is then. */
export const appendTo = (database: MemoryDatabase["Service"]) => {
  const logs = database.table<ReadonlyArray<RunEvent>>("run_event")
  return Effect.fnUntraced(function* (row: RunRow, events: ReadonlyArray<NewRunEvent>) {
    const earlier = (yield* logs.get(row.run.id)) ?? []
    yield* logs.put(row.run.id, [...earlier, ...numbered(row.run, row.lastSeq, events)])
    return { ...row, lastSeq: row.lastSeq + events.length }
  })
}
