/** The feeds over the kernel's `MemoryDatabase`. */
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Layer } from "effect"
import type { ActivityFeed } from "../ports/ActivityFeed.ts"
import type { NotificationFeed } from "../ports/NotificationFeed.ts"
import { layerActivityFeed } from "./MemoryActivityFeed.ts"
import { layerNotificationFeed } from "./MemoryNotificationFeed.ts"

/** Both feeds. */
export const layer: Layer.Layer<ActivityFeed | NotificationFeed, never, MemoryDatabase> = Layer.merge(
  layerActivityFeed,
  layerNotificationFeed
)
