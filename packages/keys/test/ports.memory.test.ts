import { layer as kernel } from "@agent-platform/kernel/memory"
import { layer as stores } from "@agent-platform/keys/memory"
import { apiKeyStoreContract, tenancyStoreContract } from "@agent-platform/keys/testing"
import { Layer } from "effect"

const layer = Layer.provideMerge(stores, kernel)

tenancyStoreContract("memory", layer)
apiKeyStoreContract("memory", layer)
