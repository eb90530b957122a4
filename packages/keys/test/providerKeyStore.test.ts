import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/keys/memory"
import { providerKeyStoreContract } from "@agent-platform/keys/testing"
import { Layer } from "effect"

providerKeyStoreContract("memory", Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded))
