import { DateTime, Effect } from "effect"
import { ActivityId, type ActivityRecord, NotificationId, type NotificationRecord } from "./Feed.ts"
import { freshId } from "./Ids.ts"
import { FeedLog } from "./ports/FeedLog.ts"

/** Records an act in the caller's transaction. Spec: Activity entry. */
export const recordActivity = Effect.fn("kernel.recordActivity")(function* (
  act: Omit<ActivityRecord, "id" | "createdAt">
) {
  const log = yield* FeedLog
  yield* log.record({ ...act, id: yield* freshId(ActivityId), createdAt: yield* DateTime.now })
})

/** Posts a notice in the caller's transaction. Spec: Notification item. */
export const notify = Effect.fn("kernel.notify")(function* (notice: Omit<NotificationRecord, "id" | "createdAt">) {
  const log = yield* FeedLog
  yield* log.notify({ ...notice, id: yield* freshId(NotificationId), createdAt: yield* DateTime.now })
})
