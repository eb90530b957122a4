import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import {
  ActivityId,
  type ActivityRecord,
  type ActivityTally,
  type NoticeClosing,
  NotificationId,
  type NotificationRecord
} from "./Feed.ts"
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

/** A notice before it has an id and a time. */
export interface NewNotice extends Omit<NotificationRecord, "id" | "createdAt" | "about"> {
  readonly about?: NotificationRecord["about"] | undefined
}

/** Posts notices in the caller's transaction, however many by one write. */
export const notify = useCase("kernel.notify")(function* (...notices: ReadonlyArray<NewNotice>) {
  const log = yield* FeedLog
  const createdAt = yield* DateTime.now
  const posted = yield* Effect.forEach(notices, (notice) =>
    Effect.map(freshId(NotificationId), (id) => ({ ...notice, about: notice.about ?? null, id, createdAt }))
  )
  if (posted.length > 0) yield* log.notify(...posted)
})

/** Closes the notices about these resources in the caller's transaction, however many by one write. */
export const closeNotices = useCase("kernel.closeNotices")(function* (
  ...closings: ReadonlyArray<Omit<NoticeClosing, "id">>
) {
  const log = yield* FeedLog
  const closed = yield* Effect.forEach(closings, (closing) =>
    Effect.map(freshId(NotificationId), (id) => ({ ...closing, id }))
  )
  if (closed.length > 0) yield* log.close(...closed)
})
