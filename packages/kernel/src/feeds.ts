import { DateTime, Effect } from "effect"
import { ActivityId, type ActivityRecord, NotificationId, type NotificationRecord } from "./Feed.ts"
import { freshId } from "./Ids.ts"
import { FeedLog } from "./ports/FeedLog.ts"
import { useCase } from "./useCase.ts"

/** Records acts in the caller's transaction, however many by one write. Spec: Activity entry. */
export const recordActivity = useCase("kernel.recordActivity")(function* (
  ...acts: ReadonlyArray<Omit<ActivityRecord, "id" | "createdAt">>
) {
  const log = yield* FeedLog
  const createdAt = yield* DateTime.now
  const entries = yield* Effect.forEach(acts, (act) =>
    Effect.map(freshId(ActivityId), (id) => ({ ...act, id, createdAt }))
  )
  if (entries.length > 0) yield* log.record(...entries)
})

/** Posts notices in the caller's transaction, however many by one write. Spec: Notification item. */
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
