import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { AgentRunner, makeDemo, Runs, SpendGate, SpendGuard } from "@agent-platform/runs"
import { runModelContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { freshDatabase } from "../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../packages/postgres/test/support/tenants.ts"

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const ports = Layer.merge(postgres, layerTenants).pipe(
      Layer.provideMerge(layerCrypto),
      Layer.provideMerge(layerClient({ url, maxConnections: 10 }))
    )
    const recipes = Layer.unwrap(Effect.map(makeDemo("full"), (demo) => AgentRunner.layer([demo])))
    return Runs.layer.pipe(
      Layer.provideMerge(recipes),
      Layer.provideMerge(Layer.merge(SpendGuard.layerUnmetered, SpendGate.layerOpen)),
      Layer.provideMerge(Layer.provideMerge(ports, kernelMemory))
    )
  }).pipe(Effect.orDie)
)

runModelContract("Postgres", layer, { runs: 30 })
