import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import type { FeedReading } from "@agent-platform/kernel/testing"
import { Effect } from "effect"

/** Reads what an organization has in the feeds over a `MemoryDatabase`. */
export const feedReading: FeedReading<MemoryDatabase> = {
  activity: (organizationId) =>
    MemoryDatabase.use((database) =>
      Effect.map(feedTables(database).activity.all, (all) => all.filter((row) => row.organizationId === organizationId))
    ),
  notifications: (organizationId) =>
    MemoryDatabase.use((database) =>
      Effect.map(feedTables(database).notification.all, (all) =>
        all.filter((row) => row.organizationId === organizationId)
      )
    )
}
