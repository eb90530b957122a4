import { layer as stores } from "@agent-platform/feeds/memory"
import {
  activityFeedContract,
  notificationFeedContract,
  notificationModelContract
} from "@agent-platform/feeds/testing"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { Layer } from "effect"

const layer = Layer.mergeAll(stores, Tenants.layerUnfounded, Layer.succeed(TransactionsOverlap, false)).pipe(
  Layer.provideMerge(kernel)
)

activityFeedContract("memory", layer)
notificationFeedContract("memory", layer)
notificationModelContract("memory", layer, { runs: 60 })
