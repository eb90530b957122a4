import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { scheduleModelContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { freshDatabase } from "../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../packages/postgres/test/support/tenants.ts"

const ports = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    return Layer.merge(postgres, layerTenants).pipe(
      Layer.provideMerge(layerCrypto),
      Layer.provideMerge(layerClient({ url, maxConnections: 10 })),
      Layer.provideMerge(kernelMemory)
    )
  }).pipe(Effect.orDie)
)

scheduleModelContract("Postgres", ports, { runs: 10 })
