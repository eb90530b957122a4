/** The feeds over the kernel's `MemoryDatabase`. */
import { Layer } from "effect"
import { layerActivityFeed } from "./MemoryActivityFeed.ts"
import { layerActivityHistory } from "./MemoryActivityHistory.ts"
import { layerFeedEraser } from "./MemoryFeedEraser.ts"
import { layerNotificationFeed } from "./MemoryNotificationFeed.ts"

/** Both feeds, activity for exports, and their eraser. */
export const layer = Layer.mergeAll(layerActivityFeed, layerActivityHistory, layerFeedEraser, layerNotificationFeed)
