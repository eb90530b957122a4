/** The stores of every domain in memory, for the suite of retention. */
import { layer as billingStores } from "@agent-platform/billing/memory"
import { layer as feedsStores } from "@agent-platform/feeds/memory"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { layer as keysStores } from "@agent-platform/keys/memory"
import { layer as runsStores } from "@agent-platform/runs/memory"
import { layer as webhooksStores } from "@agent-platform/webhooks/memory"
import { Layer } from "effect"

export const memory = Layer.mergeAll(billingStores, feedsStores, keysStores, runsStores, webhooksStores).pipe(
  Layer.provideMerge(kernel)
)
