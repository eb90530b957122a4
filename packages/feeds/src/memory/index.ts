/** The feeds over the kernel's `MemoryDatabase`. */
import { Layer } from "effect"
import { layerActivityFeed } from "./MemoryActivityFeed.ts"
import { layerActivityHistory } from "./MemoryActivityHistory.ts"
import { layerNotificationFeed } from "./MemoryNotificationFeed.ts"

/** Both feeds, and activity for exports. */
export const layer = Layer.mergeAll(layerActivityFeed, layerActivityHistory, layerNotificationFeed)
