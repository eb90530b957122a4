import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants, TransactionsOverlap } from "@agent-platform/kernel/testing"
import { layer as stores } from "@agent-platform/runs/memory"
import {
  agentStoreContract,
  checkpointStoreContract,
  runContentStoreContract,
  runEraserContract,
  runFeedContract,
  runHistoryContract,
  runLogContract,
  runOutcomesContract,
  runQueueContract,
  runStoreContract,
  sessionContract,
  sessionListContract
} from "@agent-platform/runs/testing"
import { Layer } from "effect"

const memory = Layer.mergeAll(
  Layer.provideMerge(stores, kernel),
  Tenants.layerUnfounded,
  Layer.succeed(TransactionsOverlap, false)
)

agentStoreContract("memory", memory)
runStoreContract("memory", memory)
runQueueContract("memory", memory)
sessionContract("memory", memory)
sessionListContract("memory", memory)
runLogContract("memory", memory)
runEraserContract("memory", memory)
runFeedContract("memory", memory)
runHistoryContract("memory", memory)
checkpointStoreContract("memory", memory)
runContentStoreContract("memory", memory)
runOutcomesContract("memory", memory)
