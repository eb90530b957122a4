/** The stores of `keys` over the kernel's `MemoryDatabase`. */
import { Layer } from "effect"
import { layerApiKeyStore } from "./MemoryApiKeyStore.ts"
import { layerKeyEraser } from "./MemoryKeyEraser.ts"
import { layerLoginStore } from "./MemoryLoginStore.ts"
import { layerMemberStore } from "./MemoryMemberStore.ts"
import { layerProviderKeyStore } from "./MemoryProviderKeyStore.ts"
import { layerRateLimits } from "./MemoryRateLimits.ts"
import { layerTenancyStore } from "./MemoryTenancyStore.ts"
import { layerToolSecretStore } from "./MemoryToolSecretStore.ts"

export { layerProviderProbe, MemoryProviderProbe } from "./MemoryProviderProbe.ts"

/** Every store. */
export const layer = Layer.mergeAll(
  layerApiKeyStore,
  layerKeyEraser,
  layerLoginStore,
  layerMemberStore,
  layerProviderKeyStore,
  layerRateLimits,
  layerTenancyStore,
  layerToolSecretStore
)
