import type { WorkspaceId } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { ClaimRequest } from "../ports/RunStore.ts"
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
}

/** The runs of a `MemoryDatabase`. */
export const runRows = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const table = database.table<RunRow>("run")
  const inSession = (sessionId: SessionId) =>
    Effect.map(table.all, (all) =>
      all.filter(({ run }) => run.sessionId === sessionId).sort((one, two) => one.position - two.position)
    )
  return {
    ...table,
    /** The session's runs, first in line first. */
    inSession,
    /** Those of them that have not ended. */
    unfinished: (sessionId: SessionId) =>
      Effect.map(inSession(sessionId), (rows) => rows.filter(({ run }) => !isTerminal(run)))
  }
})

/** What `runRows` answers. */
export type RunRows = Effect.Success<typeof runRows>

/** Events as the log of a run keeps them behind its event number `lastSeq`. */
export const numbered = (run: Run, lastSeq: number, events: ReadonlyArray<NewRunEvent>): ReadonlyArray<RunEvent> =>
  events.map((event, index) => ({ runId: run.id, sessionId: run.sessionId, seq: lastSeq + index + 1, ...event }))

/** Whether the run's time to live is over. */
export const isExpired = (run: Run, now: DateTime.Utc): boolean =>
  run.expiresAt !== null && DateTime.isLessThanOrEqualTo(run.expiresAt, now)

/** The queued runs that may be claimed, each workspace's in the order in which they go. */
const dueByWorkspace = (all: ReadonlyArray<RunRow>, now: DateTime.Utc) => {
  const heads = new Map<SessionId, RunRow>()
  for (const row of all) {
    if (isTerminal(row.run)) continue
    const head = heads.get(row.run.sessionId)
    if (head === undefined || row.position < head.position) heads.set(row.run.sessionId, row)
  }
  const due = [...heads.values()].filter(
    ({ run }) =>
      run.status === "queued" &&
      !isExpired(run, now) &&
      (run.runAt === null || DateTime.isLessThanOrEqualTo(run.runAt, now))
  )
  const millis = ({ run }: RunRow) => DateTime.toEpochMillis(run.runAt ?? run.createdAt)
  due.sort(
    (one, two) => two.run.priority - one.run.priority || millis(one) - millis(two) || (one.run.id < two.run.id ? -1 : 1)
  )
  return Map.groupBy(due, ({ run }) => run.workspaceId)
}

/** Picks the runs of a claim: a round of the workspaces behind `after`, one run each, and round again. */
export const pickDue = (
  all: ReadonlyArray<RunRow>,
  request: ClaimRequest,
  now: DateTime.Utc
): { readonly picked: ReadonlyArray<RunRow>; readonly last: WorkspaceId | undefined } => {
  const due = dueByWorkspace(all, now)
  const { after } = request
  const sorted = [...due.keys()].sort()
  const turn = (
    after === undefined ? sorted : [...sorted.filter((id) => id > after), ...sorted.filter((id) => id <= after)]
  )
    .filter((id) => (request.rooms.get(id) ?? request.perWorkspace) > 0)
    .slice(0, request.max)
  const ranked = turn.flatMap((id, place) =>
    (due.get(id) ?? [])
      .slice(0, request.rooms.get(id) ?? request.perWorkspace)
      .map((row, rank) => ({ row, rank, place }))
  )
  ranked.sort((one, two) => one.rank - two.rank || one.place - two.place)
  return { picked: ranked.slice(0, request.max).map(({ row }) => row), last: turn.at(-1) }
}
