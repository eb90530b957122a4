import { layer as stores } from "@agent-platform/feeds/memory"
import {
  activityFeedContract,
  activityHistoryContract,
  feedEraserContract,
  notificationFeedContract,
  notificationModelContract
} from "@agent-platform/feeds/testing"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { endMinute } from "./endMinute.ts"

const layer = Layer.mergeAll(stores, Tenants.layerUnfounded, Layer.succeed(TransactionsOverlap, false)).pipe(
  Layer.provideMerge(kernel)
)

activityFeedContract("memory", layer)
activityHistoryContract("memory", layer, endMinute)
feedEraserContract("memory", layer, {
  activity: (organizationId) =>
    Effect.flatMap(MemoryDatabase, (database) =>
      Effect.map(feedTables(database).activity.all, (all) => all.filter((row) => row.organizationId === organizationId))
    ),
  notifications: (organizationId) =>
    Effect.flatMap(MemoryDatabase, (database) =>
      Effect.map(feedTables(database).notification.all, (all) =>
        all.filter((row) => row.organizationId === organizationId)
      )
    )
})
notificationFeedContract("memory", layer)
notificationModelContract("memory", layer, { runs: 60 })
