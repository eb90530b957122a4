import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/keys/memory"
import {
  apiKeyStoreContract,
  keyEraserContract,
  loginStoreContract,
  memberStoreContract,
  rateLimitsContract,
  tenancyStoreContract
} from "@agent-platform/keys/testing"
import { Layer } from "effect"

const layer = Layer.provideMerge(stores, kernel)

tenancyStoreContract("memory", layer)
memberStoreContract("memory", Layer.merge(layer, Tenants.layerUnfounded))
apiKeyStoreContract("memory", layer)
keyEraserContract("memory", layer)
loginStoreContract("memory", layer)
rateLimitsContract("memory", layer)
