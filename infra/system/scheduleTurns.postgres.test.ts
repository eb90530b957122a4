/** A tenant with very many schedules that are due at once, beside one that has one, and two schedulers that do them. */
import { atomic } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { aCaller, aTenant } from "@agent-platform/kernel/testing"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { AgentRunner, AgentStore, ScheduleStore, Schedules, SpendGate } from "@agent-platform/runs"
import { anAgent, aSchedule } from "@agent-platform/runs/testing"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../packages/postgres/test/support/tenants.ts"

const MANY = 600

/** A process of its own, as far as schedules go. */
const layerProcess = Schedules.layer.pipe(
  Layer.provide([SpendGate.layerOpen, AgentRunner.layer([{ name: "demo", execute: () => Effect.never }])])
)

const world = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    return Layer.merge(postgres, layerTenants).pipe(
      Layer.provideMerge(layerCrypto),
      Layer.provideMerge(layerClient({ url, maxConnections: 12 })),
      Layer.provideMerge(kernelMemory)
    )
  }).pipe(Effect.orDie)
)

layer(world, { excludeTestServices: true, timeout: "180 seconds" })("schedules of a large tenant", (it) => {
  it.effect("make each run once, and that of another tenant among the first", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const now = DateTime.makeUnsafe(Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 60_000) * 60_000)
      const due = { cron: "17 3 * * *", nextRunAt: now } as const
      const aStoredAgent = Effect.gen(function* () {
        const agent = anAgent(aCaller(yield* aTenant()))
        yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
        return agent
      })
      const [large, small] = [yield* aStoredAgent, yield* aStoredAgent]
      const schedules = Array.from({ length: MANY }, () => aSchedule(large, due))
      yield* atomic(ScheduleStore.use((store) => Effect.forEach([...schedules, aSchedule(small, due)], store.insert)))
      const fire = Effect.provide(
        Schedules.use((process) => process.fireSchedules()),
        Layer.fresh(layerProcess)
      )
      const [one, other] = yield* Effect.all([fire, fire], { concurrency: "unbounded" })
      assert.strictEqual(one + other, MANY + 1)
      const [found] = yield* sql<{ readonly runs: number; readonly schedules: number; readonly earlier: number }>`
        select count(*)::int as runs, count(distinct trigger_id)::int as schedules,
          (count(*) filter (where id < (select id from run where workspace_id = ${small.workspaceId})))::int as earlier
        from run
      `
      assert.deepInclude(found, { runs: MANY + 1, schedules: MANY + 1 })
      // A turn of the large one for each that goes on at once, in each process, and one more.
      assert.isAtMost(found?.earlier ?? MANY, 2 * 5 * 32)
    })
  )
})
