/** The feeds over the kernel's `MemoryDatabase`. */
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Layer } from "effect"
import type { ActivityFeed } from "../ports/ActivityFeed.ts"
import type { ActivityHistory } from "../ports/ActivityHistory.ts"
import type { NotificationFeed } from "../ports/NotificationFeed.ts"
import { layerActivityFeed } from "./MemoryActivityFeed.ts"
import { layerActivityHistory } from "./MemoryActivityHistory.ts"
import { layerNotificationFeed } from "./MemoryNotificationFeed.ts"

/** Both feeds, and activity for exports. */
export const layer: Layer.Layer<ActivityFeed | ActivityHistory | NotificationFeed, never, MemoryDatabase> =
  Layer.mergeAll(layerActivityFeed, layerActivityHistory, layerNotificationFeed)
