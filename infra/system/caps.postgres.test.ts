/** A spend cap under many workers, over Postgres and at the catalogue's prices. Spec: Spend caps. */
import { aBilledRun } from "@agent-platform/billing/testing"
import { Uuid } from "@agent-platform/kernel"
import { anId, aTenant, type Tenant } from "@agent-platform/kernel/testing"
import { GenaiPriceBook } from "@agent-platform/models"
import { Boss, PgBossJobQueue } from "@agent-platform/pg-boss"
import { JOB_KINDS, layerBilling, layerSpendGate, layerSpendGuard } from "@agent-platform/platform"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import {
  AgentId,
  type ModelCall,
  type ModelCallEnd,
  RunId,
  SessionId,
  SpendGate,
  SpendGuard
} from "@agent-platform/runs"
import { anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { installFor } from "../../packages/pg-boss/test/support/queue.ts"
import { layerBilledRuns } from "../../packages/postgres/test/support/billedRuns.ts"
import { freshDatabase } from "../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../packages/postgres/test/support/tenants.ts"

const WORKERS = 64
const CAP_USD = 10

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* installFor(url, JOB_KINDS)
    return Layer.merge(layerSpendGuard, layerSpendGate).pipe(
      Layer.provide(layerBilling),
      Layer.provide(GenaiPriceBook.layer),
      Layer.provide(Layer.provide(PgBossJobQueue.layer, Boss.layer({ url }))),
      Layer.provideMerge(Layer.mergeAll(postgres, layerTenants, layerBilledRuns)),
      Layer.provideMerge(layerCrypto),
      Layer.provideMerge(layerClient({ url, maxConnections: 10 }))
    )
  }).pipe(Effect.orDie)
)

/** Numbers that look like chance and are the same every time. */
const makeChance = (seed: number) => {
  let state = seed + 1
  return (max: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % max
  }
}

const aRunOf = (tenant: Tenant) =>
  Effect.map(aBilledRun(tenant), ({ agentId, runId, sessionId }) => {
    const agent = anAgent(tenant, { id: AgentId.make(agentId) })
    return aRun(agent, aSession(agent, { id: SessionId.make(sessionId) }), { id: RunId.make(runId), attempt: 1 })
  })

const OUTPUT_TOKENS_MIN = 200

const aCall = (run: ModelCall["run"], chance: (max: number) => number): ModelCall => ({
  id: anId(Uuid),
  run,
  provider: "openai",
  requestModel: "gpt-4o",
  payer: { source: "platform" },
  inputTokensMax: 2_000 + chance(40_000),
  outputTokensMax: OUTPUT_TOKENS_MIN + chance(4_000),
  outputTokensMin: OUTPUT_TOKENS_MIN
})

/** How the call ends: seldom with all that it could have used, sometimes in a cut stream, whose usage nobody knows. */
const anEnd = (call: ModelCall, startedAt: DateTime.Utc, chance: (max: number) => number): ModelCallEnd => {
  const isCut = chance(20) === 0
  const inputTokens = Math.ceil(call.inputTokensMax * (0.6 + chance(40) / 100))
  return {
    status: isCut ? "aborted" : "ok",
    errorCode: null,
    finishReason: null,
    responseModel: "gpt-4o-2024-08-06",
    startedAt,
    durationMillis: 5,
    timeToFirstTokenMillis: null,
    usage: isCut
      ? undefined
      : {
          inputTokens,
          cacheReadTokens: chance(inputTokens),
          cacheWriteTokens: 0,
          outputTokens: 1 + chance(call.outputTokensMax),
          reasoningTokens: 0
        },
    sent: true
  }
}

suite(layer, { excludeTestServices: true })("a cap of 10.00 USD and 64 workers", (it) => {
  it.effect("is never exceeded, is used by nine tenths at least, and is announced once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const guard = yield* SpendGuard
      const gate = yield* SpendGate
      const tenant = yield* aTenant()
      const { workspaceId } = tenant
      yield* sql`update agent_platform.workspace set monthly_cap_usd = ${`${CAP_USD}.00`}::numeric where id = ${workspaceId}`
      yield* gate.admit(tenant)

      const work = (worker: number) =>
        Effect.gen(function* () {
          const chance = makeChance(worker)
          const run = yield* aRunOf(tenant)
          while (true) {
            const call = aCall(run, chance)
            const admitted = yield* guard.reserve(call)
            const end = anEnd({ ...call, ...admitted }, yield* DateTime.now, chance)
            yield* guard.settle(call, end)
            // A worker that has lost the answer settles again.
            if (chance(10) === 0) yield* guard.settle(call, end)
          }
        })
      const refusals = yield* Effect.forEach(
        Array.from({ length: WORKERS }, (_, index) => index),
        (worker) => Effect.flip(work(worker)),
        { concurrency: "unbounded" }
      )
      // One that waited in vain for calls under way is refused alone, before nearly all is spent.
      const codes = new Set<string>(refusals.map(({ errorCode }) => errorCode))
      codes.delete("call_exceeds_cap")
      assert.deepStrictEqual([...codes], ["cap_reached"])

      const [sums] = yield* sql<Record<string, string>>`
        select
          (select sum(cost_usd) from agent_platform.model_call where workspace_id = ${workspaceId})::text as ledger,
          (select count(*) from agent_platform.model_call where workspace_id = ${workspaceId})::text as calls,
          (select spent_usd from agent_platform.workspace_spend where workspace_id = ${workspaceId})::text as month,
          (select reserved_usd from agent_platform.workspace_spend where workspace_id = ${workspaceId})::text as held,
          (select sum(spent_usd) from agent_platform.run_spend where workspace_id = ${workspaceId})::text as of_runs,
          (select sum(cost_usd) from agent_platform.run where workspace_id = ${workspaceId})::text as on_runs,
          (select sum(requests) from agent_platform.run where workspace_id = ${workspaceId})::text as requests,
          (select count(*) from agent_platform.call_reservation where workspace_id = ${workspaceId})::text as open
      `
      assert.isAtMost(Number(sums!["ledger"]), CAP_USD)
      assert.isAtLeast(Number(sums!["ledger"]), 0.9 * CAP_USD)
      for (const other of ["month", "of_runs", "on_runs"]) assert.strictEqual(sums![other], sums!["ledger"], other)
      assert.strictEqual(sums!["requests"], sums!["calls"])
      assert.deepStrictEqual([Number(sums!["held"]), sums!["open"]], [0, "0"])

      const events = yield* sql<{ readonly type: string }>`
        select type from agent_platform.event where workspace_id = ${workspaceId} order by type
      `
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["workspace.cap_near", "workspace.cap_reached"]
      )
      const notices = yield* sql<{ readonly type: string }>`
        select type from agent_platform.notification where workspace_id = ${workspaceId} order by type
      `
      assert.deepStrictEqual(
        notices.map(({ type }) => type),
        ["workspace.cap_near", "workspace.cap_reached"]
      )

      assert.strictEqual((yield* Effect.flip(gate.admit(tenant)))._tag, "CapReached")
      yield* sql`update agent_platform.workspace set monthly_cap_usd = 20 where id = ${workspaceId}`
      yield* gate.admit(tenant)
    })
  )
})
