import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/runs/memory"
import {
  agentStoreContract,
  checkpointStoreContract,
  runEraserContract,
  runHistoryContract,
  runLogContract,
  runOutcomesContract,
  runQueueContract,
  runStoreContract,
  sessionContract,
  sessionListContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

agentStoreContract("memory", memory)
runStoreContract("memory", memory)
runQueueContract("memory", memory)
sessionContract("memory", memory)
sessionListContract("memory", memory)
runLogContract("memory", memory)
runEraserContract("memory", memory)
runHistoryContract("memory", memory)
checkpointStoreContract("memory", memory)
runOutcomesContract("memory", memory)
