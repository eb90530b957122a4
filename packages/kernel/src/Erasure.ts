/** Erasures: what is deleted for good, by a job, and how far that has come. They hold ids and counts, and nothing personal. */
import { type DateTime, Schema } from "effect"
import type { Actor } from "./Caller.ts"
import { type OrganizationId, Uuid, type WorkspaceId } from "./Ids.ts"

export const ErasureId = Uuid.pipe(Schema.brand("ErasureId"))
export type ErasureId = typeof ErasureId.Type

/** The kinds of what can be erased. */
export const ErasureKind = Schema.Literals(["run", "session", "agent", "workspace", "organization", "person"])
export type ErasureKind = typeof ErasureKind.Type

/** `failed`: it was tried often and given up. What is erased stays closed, and asking again begins another erasure. */
export const ErasureState = Schema.Literals(["pending", "running", "done", "failed"])
export type ErasureState = typeof ErasureState.Type

/** How many things of one kind are gone, and of how many; `total` is null where counting stopped before the end. */
export interface ErasureCount {
  readonly done: number
  readonly total: number | null
}

/** How many things of each kind, by names such as `runs` and `log_entries`. */
export type ErasedCounts = Readonly<Record<string, number>>

/** One erasure. */
export interface Erasure {
  readonly id: ErasureId
  readonly organizationId: OrganizationId
  /** The workspace of a run, a session or an agent; null for what only the organization can speak for. */
  readonly workspaceId: WorkspaceId | null
  readonly kind: ErasureKind
  /** The id of what is erased. */
  readonly subjectId: string
  /** Who asked, without a name. */
  readonly requestedBy: Pick<Actor, "type" | "id">
  readonly state: ErasureState
  readonly counts: Readonly<Record<string, ErasureCount>>
  /** How many turns it has had. Each is a job with the number of the turn; one with any other number than the next does nothing. */
  readonly turns: number
  readonly createdAt: DateTime.Utc
  readonly startedAt: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc | null
}

/** No such erasure in reach of the caller. */
export class ErasureNotFound extends Schema.TaggedError<ErasureNotFound>()("ErasureNotFound", {}) {}

/** Whether it has ended: done or given up. */
export const isErasureFinished = ({ state }: Erasure): boolean => state === "done" || state === "failed"

/** The counts before anything is gone. A total of `null` is larger than counting went. */
export const countsOf = (totals: Readonly<Record<string, number | null>>): Erasure["counts"] =>
  Object.fromEntries(Object.entries(totals).map(([kind, total]) => [kind, { done: 0, total }]))

/** Sums of counts, kind by kind. */
export const addCounts = (...all: ReadonlyArray<ErasedCounts>): ErasedCounts => {
  const sum: Record<string, number> = {}
  for (const counts of all) for (const [kind, count] of Object.entries(counts)) sum[kind] = (sum[kind] ?? 0) + count
  return sum
}

const begun = (erasure: Erasure, now: DateTime.Utc): Erasure => ({
  ...erasure,
  state: "running",
  startedAt: erasure.startedAt ?? now
})

/** The erasure after a portion. Things that were added since the count are erased, too, so a total grows with `done`. */
const advanced = (erasure: Erasure, erased: ErasedCounts): Erasure => {
  const counts: Record<string, ErasureCount> = { ...erasure.counts }
  for (const [kind, count] of Object.entries(erased)) {
    if (count === 0) continue
    const { done, total } = counts[kind] ?? { done: 0, total: 0 }
    counts[kind] = { done: done + count, total: total === null ? null : Math.max(total, done + count) }
  }
  return { ...erasure, counts }
}

const turned = (erasure: Erasure): Erasure => ({ ...erasure, turns: erasure.turns + 1 })

const ended = (erasure: Erasure, state: "done" | "failed", now: DateTime.Utc): Erasure => ({
  ...erasure,
  state,
  startedAt: erasure.startedAt ?? now,
  finishedAt: now
})

/** The changes of an erasure, as in `Erasure.advanced(erasure, counts)`. */
export const Erasure = { begun, advanced, turned, ended }
