/** Every port of billing in memory. */
import { Layer } from "effect"
import { layerCallLedger } from "./MemoryCallLedger.ts"
import { layerLedgerEraser } from "./MemoryLedgerEraser.ts"
import { layerPriceOverrideStore } from "./MemoryPriceOverrideStore.ts"
import { layerRollUpStore } from "./MemoryRollUpStore.ts"
import { layerUsageCorrections } from "./MemoryUsageCorrections.ts"
import { layerUsageFeed } from "./MemoryUsageFeed.ts"
import { layerUsageReadings } from "./MemoryUsageReadings.ts"

/** The stores of billing, over one `MemoryDatabase`. Prices, caps and runs are for others to provide. */
export const layer = Layer.mergeAll(
  layerCallLedger,
  layerLedgerEraser,
  layerPriceOverrideStore,
  layerUsageCorrections,
  layerUsageFeed,
  layerRollUpStore,
  layerUsageReadings
)
