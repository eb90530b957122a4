import { Effect, Layer } from "effect"
import type { ActivityRecord, NotificationRecord } from "../Feed.ts"
import { FeedLog } from "../ports/FeedLog.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** What the feed log of a `MemoryDatabase` holds, oldest first. */
export const feedTables = (database: MemoryDatabase["Service"]) => ({
  activity: database.table<ActivityRecord>("activity"),
  notification: database.table<NotificationRecord>("notification")
})

/** The feed log over a `MemoryDatabase`. */
export const layerFeedLog: Layer.Layer<FeedLog, never, MemoryDatabase> = Layer.effect(
  FeedLog,
  MemoryDatabase.use((database) => {
    const { activity, notification } = feedTables(database)
    return Effect.succeed(
      FeedLog.of({
        record: (...entries) => Effect.forEach(entries, (entry) => activity.put(entry.id, entry), { discard: true }),
        notify: (...notices) =>
          Effect.forEach(notices, (notice) => notification.put(notice.id, notice), { discard: true })
      })
    )
  })
)
