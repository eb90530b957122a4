import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/runs/memory"
import {
  agentChangesContract,
  agentSecretsContract,
  inboundWebhookStoreContract,
  recordKeyStoreContract,
  runListContract,
  scheduleStoreContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

agentChangesContract("memory", memory)
agentSecretsContract("memory", memory)
inboundWebhookStoreContract("memory", memory)
recordKeyStoreContract("memory", Layer.fresh(memory))
runListContract("memory", memory)
scheduleStoreContract("memory", memory)
