import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/keys/memory"
import { toolSecretStoreContract } from "@agent-platform/keys/testing"
import { Layer } from "effect"

toolSecretStoreContract("memory", Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded))
