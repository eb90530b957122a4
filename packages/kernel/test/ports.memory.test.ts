import { feedTables, layer, MemoryDatabase, MemorySecretBox } from "@agent-platform/kernel/memory"
import {
  egressContract,
  erasureStoreContract,
  eventLogContract,
  feedLogContract,
  fingerprintKeyStoreContract,
  idempotencyContract,
  jobHistoryContract,
  jobQueueContract,
  outboxContract,
  outboxProtocolContract,
  recordEraserContract,
  secretBoxContract,
  signalsContract,
  Tenants,
  templateStoreContract,
  unitOfWorkContract
} from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { memoryReceivers } from "./memoryReceivers.ts"

unitOfWorkContract("memory", layer)
erasureStoreContract("memory", layer)
recordEraserContract("memory", layer)
templateStoreContract("memory", Layer.merge(layer, Tenants.layerUnfounded))
eventLogContract("memory", layer)
jobQueueContract("memory", layer)
outboxContract("memory", layer)
outboxProtocolContract("memory", layer)
signalsContract("memory", layer)
secretBoxContract(
  "memory",
  layer,
  MemorySecretBox.use((box) => box.changeKey)
)
fingerprintKeyStoreContract("memory", layer)
idempotencyContract("memory", layer)
jobHistoryContract("memory", layer)
egressContract("memory", layer, memoryReceivers)
feedLogContract("memory", Layer.merge(layer, Tenants.layerUnfounded), {
  activity: (organizationId) =>
    Effect.flatMap(MemoryDatabase, (database) =>
      Effect.map(feedTables(database).activity.all, (all) => all.filter((row) => row.organizationId === organizationId))
    ),
  notifications: (organizationId) =>
    Effect.flatMap(MemoryDatabase, (database) =>
      Effect.map(feedTables(database).notification.all, (all) =>
        all.filter((row) => row.organizationId === organizationId)
      )
    )
})
