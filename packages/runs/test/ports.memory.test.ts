import { layer as kernel } from "@agent-platform/kernel/memory"
import { layer as stores } from "@agent-platform/runs/memory"
import {
  agentStoreContract,
  runLogContract,
  runQueueContract,
  runStoreContract,
  sessionContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"

const memory = Layer.provideMerge(stores, kernel)

agentStoreContract("memory", memory)
runStoreContract("memory", memory)
runQueueContract("memory", memory)
sessionContract("memory", memory)
runLogContract("memory", memory)
