/** Every port of the kernel in memory. */
import { Layer } from "effect"
import { Digest, SecureRandom, Signature } from "effect/crypto"
import { Fingerprints } from "../Fingerprints.ts"
import { Overrides } from "../Overrides.ts"
import { layerUnitOfWork, MemoryDatabase } from "./MemoryDatabase.ts"
import { layerEgress } from "./MemoryEgress.ts"
import { layerErasureStore } from "./MemoryErasureStore.ts"
import { layerEventLog } from "./MemoryEventLog.ts"
import { layerFeedLog } from "./MemoryFeedLog.ts"
import { layerFingerprintKeyStore } from "./MemoryFingerprintKeyStore.ts"
import { layerIdempotency } from "./MemoryIdempotency.ts"
import { layerJobHistory } from "./MemoryJobHistory.ts"
import { layerJobQueue } from "./MemoryJobQueue.ts"
import { layerOutbox } from "./MemoryOutbox.ts"
import { layerRecordEraser } from "./MemoryRecordEraser.ts"
import { layerSecretBox } from "./MemorySecretBox.ts"
import { layerSignals } from "./MemorySignals.ts"
import { layerTemplateStore } from "./MemoryTemplateStore.ts"

export { countWhere, eraseWhere } from "./erasing.ts"
export { layerMemory, MemoryDatabase, type MemoryTable } from "./MemoryDatabase.ts"
export { admitUrl, aResponse, aStreamedResponse, MemoryEgress } from "./MemoryEgress.ts"
export { feedTables } from "./MemoryFeedLog.ts"
export type { OutboxRow } from "./MemoryOutbox.ts"
export { MemorySecretBox } from "./MemorySecretBox.ts"
export { newestFirst } from "./newestFirst.ts"

/** Cryptography by WebCrypto, which Node, Deno and browsers have. */
const layerCrypto = Layer.mergeAll(Digest.layerWebCrypto, Signature.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

/** All ports of the kernel over one `MemoryDatabase`, which it exposes for the stores of the domains; and cryptography. */
export const layer = Layer.mergeAll(
  layerErasureStore,
  layerEventLog,
  layerFeedLog,
  Fingerprints.layer,
  layerIdempotency,
  layerJobHistory,
  layerJobQueue,
  layerOutbox,
  layerRecordEraser,
  Layer.provideMerge(Overrides.layer(), layerTemplateStore),
  layerEgress
).pipe(
  Layer.provideMerge(Layer.mergeAll(layerFingerprintKeyStore, layerSecretBox, layerUnitOfWork)),
  Layer.provideMerge(layerSignals),
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(layerCrypto)
)
