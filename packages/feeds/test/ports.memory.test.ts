import { layer as stores } from "@agent-platform/feeds/memory"
import {
  activityFeedContract,
  activityHistoryContract,
  notificationFeedContract,
  notificationModelContract
} from "@agent-platform/feeds/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { Layer } from "effect"
import { endMinute } from "./endMinute.ts"

const layer = Layer.mergeAll(stores, Tenants.layerUnfounded, Layer.succeed(TransactionsOverlap, false)).pipe(
  Layer.provideMerge(kernel)
)

activityFeedContract("memory", layer)
activityHistoryContract("memory", layer, endMinute)
notificationFeedContract("memory", layer)
notificationModelContract("memory", layer, { runs: 60 })
