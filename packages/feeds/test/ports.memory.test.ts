import { layer as stores } from "@agent-platform/feeds/memory"
import {
  activityFeedContract,
  activityHistoryContract,
  feedEraserContract,
  notificationFeedContract,
  notificationModelContract
} from "@agent-platform/feeds/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { Layer } from "effect"
import { endMinute } from "./endMinute.ts"
import { feedReading } from "./feedReading.ts"

const layer = Layer.mergeAll(stores, Tenants.layerUnfounded, Layer.succeed(TransactionsOverlap, false)).pipe(
  Layer.provideMerge(kernel)
)

activityFeedContract("memory", layer)
activityHistoryContract("memory", layer, endMinute)
feedEraserContract("memory", layer, feedReading)
notificationFeedContract("memory", layer)
notificationModelContract("memory", layer, { runs: 60 })
