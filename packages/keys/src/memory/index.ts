/** The stores of `keys` over the kernel's `MemoryDatabase`. */
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Layer } from "effect"
import type { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import type { LoginStore } from "../ports/LoginStore.ts"
import type { MemberStore } from "../ports/MemberStore.ts"
import type { ProviderKeyStore } from "../ports/ProviderKeyStore.ts"
import type { RateLimits } from "../ports/RateLimits.ts"
import type { TenancyStore } from "../ports/TenancyStore.ts"
import { layerApiKeyStore } from "./MemoryApiKeyStore.ts"
import { layerLoginStore } from "./MemoryLoginStore.ts"
import { layerMemberStore } from "./MemoryMemberStore.ts"
import { layerProviderKeyStore } from "./MemoryProviderKeyStore.ts"
import { layerRateLimits } from "./MemoryRateLimits.ts"
import { layerTenancyStore } from "./MemoryTenancyStore.ts"

export { layerProviderProbe, MemoryProviderProbe } from "./MemoryProviderProbe.ts"

/** Every store. */
export const layer: Layer.Layer<
  ApiKeyStore | LoginStore | MemberStore | ProviderKeyStore | RateLimits | TenancyStore,
  never,
  MemoryDatabase
> = Layer.mergeAll(
  layerApiKeyStore,
  layerLoginStore,
  layerMemberStore,
  layerProviderKeyStore,
  layerRateLimits,
  layerTenancyStore
)
