import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { ActivityId, type ActivityRecord, type ActivityTally, NotificationId, type NotificationRecord } from "./Feed.ts"
import { freshId } from "./Ids.ts"
import { FeedLog } from "./ports/FeedLog.ts"

/** An act before its entry has an id and a time. */
export type NewActivity = Omit<ActivityRecord, "id" | "createdAt">

/** Records acts in the caller's transaction, however many by one write. */
export const recordActivity = useCase("kernel.recordActivity")(function* (...acts: ReadonlyArray<NewActivity>) {
  const log = yield* FeedLog
  const createdAt = yield* DateTime.now
  const entries = yield* Effect.forEach(acts, (act) =>
    Effect.map(freshId(ActivityId), (id) => ({ ...act, id, createdAt }))
  )
  if (entries.length > 0) yield* log.record(...entries)
})

/** A tally before its entry has an id. */
export interface Tallied extends Omit<ActivityTally, "entry"> {
  readonly entry: Omit<ActivityRecord, "id">
}

/** Tallies acts in the caller's transaction, however many by one write. */
export const tallyActivity = useCase("kernel.tallyActivity")(function* (...acts: ReadonlyArray<Tallied>) {
  const log = yield* FeedLog
  const tallies = yield* Effect.forEach(acts, (act) =>
    Effect.map(freshId(ActivityId), (id) => ({ ...act, entry: { ...act.entry, id } }))
  )
  if (tallies.length > 0) yield* log.tally(...tallies)
})

/** Posts notices in the caller's transaction, however many by one write. */
export const notify = useCase("kernel.notify")(function* (
  ...notices: ReadonlyArray<Omit<NotificationRecord, "id" | "createdAt">>
) {
  const log = yield* FeedLog
  const createdAt = yield* DateTime.now
  const posted = yield* Effect.forEach(notices, (notice) =>
    Effect.map(freshId(NotificationId), (id) => ({ ...notice, id, createdAt }))
  )
  if (posted.length > 0) yield* log.notify(...posted)
})
