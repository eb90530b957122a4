/** Every port of the kernel in memory. */
import { Layer } from "effect"
import { layerRandom, layerUnitOfWork, MemoryDatabase } from "./MemoryDatabase.ts"
import { layerEgress } from "./MemoryEgress.ts"
import { layerEventLog } from "./MemoryEventLog.ts"
import { layerIdempotency } from "./MemoryIdempotency.ts"
import { layerJobQueue } from "./MemoryJobQueue.ts"
import { layerSecretBox } from "./MemorySecretBox.ts"
import { layerSignals } from "./MemorySignals.ts"

export { MemoryDatabase, type MemoryTable } from "./MemoryDatabase.ts"
export { anAnswer, MemoryEgress } from "./MemoryEgress.ts"

/** All ports of the kernel over one `MemoryDatabase`, which it exposes for the stores of the domains. */
export const layer = Layer.mergeAll(
  layerUnitOfWork,
  layerEventLog,
  layerIdempotency,
  layerJobQueue,
  layerSecretBox,
  layerEgress
).pipe(Layer.provideMerge(layerSignals), Layer.provideMerge(MemoryDatabase.layer), Layer.provideMerge(layerRandom))
