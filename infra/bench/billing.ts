/**
 * `npm run bench:billing [-- --seconds N]`: how many model calls are admitted and settled in a second, in one workspace and in
 * two hundred, each with a cap: the reservation before a call and the settlement after it, over a Postgres that keeps its data.
 */

import { aBilledRun } from "@agent-platform/billing/testing"
import { Uuid } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { GenaiPriceBook } from "@agent-platform/models"
import { layerBilling, layerSpendGuard } from "@agent-platform/platform"
import { layerClient, layer as layerPostgres } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { AgentId, type ModelCall, RunId, SessionId, SpendGuard } from "@agent-platform/runs"
import { anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { DateTime, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layerBilledRuns } from "../../packages/postgres/test/support/billedRuns.ts"
import { layerTenants } from "../../packages/postgres/test/support/tenants.ts"
import { readFlags } from "../local/flags.ts"
import { makeDatabase } from "../system/harness.ts"
import { startOwnPostgres } from "../system/ownPostgres.ts"

const { seconds: SECONDS } = readFlags(
  "npm run bench:billing",
  "How many model calls are admitted and settled in a second.",
  { seconds: { value: "N", default: 5, says: "How long each part lasts" } }
)
const CALLERS = 32
const CAP_USD = "1000000.00"

const say = (line: string) => process.stdout.write(`${line}\n`)

const layerOf = (url: Redacted.Redacted) =>
  layerSpendGuard.pipe(
    Layer.provide(layerBilling),
    Layer.provide(GenaiPriceBook.layer),
    Layer.provideMerge(Layer.mergeAll(layerPostgres, layerTenants, layerBilledRuns)),
    Layer.provideMerge(layerCrypto),
    Layer.provideMerge(layerClient({ url, maxConnections: 16 }))
  )

/** A run for each caller, in as many workspaces as asked for. */
const runsIn = Effect.fnUntraced(function* (workspaces: number) {
  const sql = yield* SqlClient.SqlClient
  const tenants = yield* Effect.forEach(Array.from({ length: workspaces }), () => aTenant())
  yield* sql`update agent_platform.workspace set monthly_cap_usd = ${CAP_USD}::numeric`
  return yield* Effect.forEach(Array.from({ length: Math.max(CALLERS, workspaces) }), (_, index) => {
    const tenant = tenants[index % workspaces]!
    return Effect.map(aBilledRun(tenant), ({ agentId, runId, sessionId }) => {
      const agent = anAgent(tenant, { id: AgentId.make(agentId) })
      return aRun(agent, aSession(agent, { id: SessionId.make(sessionId) }), { id: RunId.make(runId), attempt: 1 })
    })
  })
})

/** One call in so many has more input tokens than were reserved, as where a model's tokens are shorter than was reckoned. */
const BEYOND_EVERY = 20

const pay = Effect.fnUntraced(function* (run: ModelCall["run"], turn: number) {
  const guard = yield* SpendGuard
  const call: ModelCall = {
    id: anId(Uuid),
    run,
    provider: "openai",
    requestModel: "gpt-4o",
    payer: { source: "platform" },
    inputTokensMax: 2_000,
    outputTokensMax: 500,
    outputTokensMin: 500
  }
  yield* guard.reserve(call)
  yield* guard.settle(call, {
    status: "ok",
    errorCode: null,
    finishReason: "stop",
    responseModel: "gpt-4o-2024-08-06",
    startedAt: yield* DateTime.now,
    durationMillis: 1,
    timeToFirstTokenMillis: null,
    usage: {
      inputTokens: turn % BEYOND_EVERY === 0 ? 4_500 : 1_800,
      cacheReadTokens: 900,
      cacheWriteTokens: 0,
      outputTokens: 300,
      reasoningTokens: 0
    },
    sent: true
  })
})

const measured = Effect.fnUntraced(function* (workspaces: number) {
  const runs = yield* runsIn(workspaces)
  yield* Effect.forEach(runs, (run) => pay(run, 1), { concurrency: CALLERS })
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  let calls = 0
  yield* Effect.forEach(
    Array.from({ length: CALLERS }, (_, caller) => caller),
    (caller) =>
      Effect.gen(function* () {
        for (let turn = caller; performance.now() - from < SECONDS * 1000; turn += CALLERS) {
          yield* pay(runs[turn % runs.length]!, calls)
          calls += 1
        }
      }),
    { concurrency: "unbounded" }
  )
  const seconds = (performance.now() - from) / 1000
  const { system, user } = process.cpuUsage(cpu)
  const rate = Math.round(calls / seconds)
  say(
    `${String(workspaces).padStart(5)} workspaces: ${rate} calls/s, ${Math.round((system + user) / calls)} µs of our CPU each`
  )
  return rate
})

/** Prints by how much calls cost more than was reserved for them, by the ledger. */
const sayWhatWentBeyond = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly calls: string
    readonly beyond: string
    readonly usd: string
    readonly most: string
    readonly share: string
  }>`
    select count(*)::text as calls, count(*) filter (where over_usd > 0)::text as beyond, trim_scale(sum(over_usd))::text as usd,
      trim_scale(max(over_usd))::text as most, round(100 * sum(over_usd) / sum(cost_usd), 2)::text as share
    from (select cost_usd, greatest(cost_usd - reserved_usd, 0) as over_usd from agent_platform.model_call) as call
  `
  if (row === undefined) return
  say(
    `${row.beyond} of ${row.calls} calls cost more than was held back for them: ${row.usd} USD in all, ${row.most} at most, ` +
      `${row.share} % of what was spent`
  )
})

const postgres = await startOwnPostgres()
try {
  const database = await makeDatabase(postgres.url)
  const runtime = ManagedRuntime.make(layerOf(Redacted.make(database.url)))
  say(
    `${CALLERS} callers, ${SECONDS} s each: admitted by 3 statements (cap, price, reservation), settled by 2 in a transaction`
  )
  const hot = await runtime.runPromise(measured(1))
  const spread = await runtime.runPromise(measured(200))
  say(`one busy workspace passes ${Math.round((100 * hot) / spread)} % of what two hundred do`)
  await runtime.runPromise(sayWhatWentBeyond)
  await runtime.dispose()
} finally {
  await postgres.stop()
}
