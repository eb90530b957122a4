import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { Boss, install, PgBossJobQueue, PgBossJobSource } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
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
    yield* install({ url }, JOB_KINDS)
    const ports = Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
      Layer.provide(Boss.layer({ url })),
      Layer.provideMerge(Layer.merge(postgres, layerTenants)),
      Layer.provideMerge(layerCrypto),
      Layer.provideMerge(layerClient({ url, maxConnections: 10 }))
    )
    const recipes = Layer.unwrap(Effect.map(makeDemo, (demo) => AgentRunner.layer([demo])))
    return Runs.layer.pipe(
      Layer.provideMerge(Layer.provide(recipes, SpendGuard.layerUnmetered)),
      Layer.provideMerge(SpendGate.layerOpen),
      Layer.provideMerge(Layer.provideMerge(ports, kernelMemory))
    )
  }).pipe(Effect.orDie)
)

runModelContract("Postgres and pg-boss", layer, { runs: 30 })
