import { Effect, Layer } from "effect"
import type { ActivityRecord, NotificationRecord } from "../Feed.ts"
import { FeedLog, NOTICES_POSTED } from "../ports/FeedLog.ts"
import { Signals } from "../ports/Signals.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** What the feed log of a `MemoryDatabase` holds, oldest first. */
export const feedTables = (database: MemoryDatabase["Service"]) => ({
  activity: database.table<ActivityRecord>("activity"),
  notification: database.table<NotificationRecord>("notification")
})

/** The feed log over a `MemoryDatabase`. */
export const layerFeedLog: Layer.Layer<FeedLog, never, MemoryDatabase | Signals> = Layer.effect(
  FeedLog,
  Effect.gen(function* () {
    const { activity, notification } = feedTables(yield* MemoryDatabase)
    const signals = yield* Signals
    return FeedLog.of({
      record: (...entries) => Effect.forEach(entries, (entry) => activity.put(entry.id, entry), { discard: true }),
      notify: (...notices) =>
        Effect.andThen(
          Effect.forEach(notices, (notice) => notification.put(notice.id, notice), { discard: true }),
          signals.raise(NOTICES_POSTED)
        )
    })
  })
)
