/**
 * The benchmark of readings: `npm run bench:analytics -- [--rows 1000000] [--small 10000] [--rounds 40]`. Makes two ledgers of
 * one workspace each, rolls them up by the real job, and asks both in turn for every reading: what it takes must not grow with
 * the ledger. Prints p50 in milliseconds over both, their ratio, and the statements of each.
 */

import { Analytics, Billing, CallId, CallLedger, rollUpUsage } from "@agent-platform/billing"
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { GenaiPriceBook } from "@agent-platform/models"
import { layerAnalytics, layerBilling, layerRollUpBridges } from "@agent-platform/platform"
import { layerClient, layer as layerPostgres, TIMEOUTS } from "@agent-platform/postgres"
import { layerCrypto } from "@agent-platform/process"
import { DateTime, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { readFlags } from "../local/flags.ts"
import { makeDatabase } from "../system/harness.ts"
import { startOwnPostgres } from "../system/ownPostgres.ts"
import { DAYS, fillLedger, runIdOf, totals } from "./analytics/ledger.ts"
import { percentile } from "./measure.ts"

const {
  rows,
  rounds: ROUNDS,
  small
} = readFlags("npm run bench:analytics", "What every reading costs over two ledgers.", {
  rows: { value: "N", default: 1_000_000, says: "Calls in the large ledger" },
  small: { value: "N", default: 10_000, says: "Calls in the small one" },
  rounds: { value: "N", default: 40, says: "How often each reading is asked for" }
})
const [LARGE, SMALL] = [rows, small]
const WARM_UP = 5

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Matches statements that write, not those that read or only lock rows. */
const WRITES = /\b(insert into|delete from|update \w+ set)\b/i

/** How many statements there were, and how many of them wrote. */
interface Count {
  statements: number
  writes: number
}

/** A client that counts the statements that go through it. */
const counting = (sql: SqlClient.SqlClient, count: Count): SqlClient.SqlClient =>
  new Proxy(sql, {
    apply: (target, self, args) => {
      const statement = Reflect.apply(target, self, args)
      // Fragments are made by the same call and never run by themselves.
      return new Proxy(statement, {
        get: (inner, name) => {
          if (name === "~effect/Effect/evaluate") {
            count.statements++
            if (WRITES.test(inner.compile()[0])) count.writes++
          }
          return Reflect.get(inner, name)
        }
      })
    }
  })

/** A database with a ledger of so many rows, rolled up, and its readings. */
const makeLedger = async (adminUrl: string, rows: number) => {
  const database = await makeDatabase(adminUrl)
  const count: Count = { statements: 0, writes: 0 }
  const client = layerClient({
    url: Redacted.make(database.ownerUrl),
    maxConnections: 4,
    timeouts: TIMEOUTS.migrations
  })
  const counted = Layer.effect(
    SqlClient.SqlClient,
    Effect.map(SqlClient.SqlClient, (sql) => counting(sql, count))
  )
  const ports = layerPostgres.pipe(
    Layer.provideMerge(counted),
    Layer.provideMerge(client),
    Layer.provideMerge(layerCrypto)
  )
  const services = Layer.mergeAll(layerAnalytics, layerBilling, layerRollUpBridges).pipe(
    Layer.provideMerge(ports),
    Layer.provide([kernelMemory, GenaiPriceBook.layer])
  )
  const runtime = ManagedRuntime.make(services)
  const { agent_id: agentId, workspace_id: workspaceId } = database.credentials
  const runs = Array.from({ length: 50 }, (_, index) => Math.floor((index * rows) / 10 / 50))
  const begun = performance.now()
  const [owner] = await runtime.runPromise(
    SqlClient.SqlClient.use(
      (sql) =>
        sql<{
          readonly organization_id: string
        }>`select organization_id from agent_platform.workspace where id = ${workspaceId}`
    )
  )
  const organizationId = owner?.organization_id ?? ""
  const now = DateTime.makeUnsafe(Date.now())
  await runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* CallLedger
      yield* sql.withTransaction(
        ledger.prepareMonths(DateTime.subtract(now, { days: DAYS }), now) as Effect.Effect<void>
      )
      yield* fillLedger({ organizationId, workspaceId, agentId }, rows, runs)
      yield* sql`vacuum analyze agent_platform.model_call`
    })
  )
  const filled = performance.now()
  const before = count.statements
  let batches = 0
  for (let hasMore = true; hasMore; batches++) {
    const done = await runtime.runPromise(rollUpUsage({ batchRows: 200_000 }))
    hasMore = done._tag === "RolledUp" && done.hasMore
  }
  const rolled = performance.now()
  await runtime.runPromise(SqlClient.SqlClient.use((sql) => sql`vacuum analyze`))
  const { ledger, rolled: sums } = await runtime.runPromise(totals)
  if (ledger !== sums) throw new Error(`The roll-ups say ${sums} of the ledger ${ledger}`)
  say(
    `${rows.toLocaleString("en")} rows: written in ${((filled - begun) / 1000).toFixed(1)} s, rolled up in ` +
      `${((rolled - filled) / 1000).toFixed(1)} s (${(((rolled - filled) * 1000) / rows).toFixed(1)} µs a row, ` +
      `${((count.statements - before) / batches).toFixed(1)} statements a batch of 200,000)`
  )
  const caller = {
    organizationId: organizationId as OrganizationId,
    workspaceId: workspaceId as WorkspaceId,
    actor: { type: "user", id: "bench", label: "Bench" }
  } as const
  return { runtime, caller, agentId, runs, count, close: () => runtime.dispose() }
}

type Ledger = Awaited<ReturnType<typeof makeLedger>>

const NO_FILTER = { agentId: undefined, model: undefined, provider: undefined }
const NO_RANGE = { since: undefined, until: undefined }

/** Every reading, as the API asks for it. `round` varies what is asked for where it can. */
const READINGS: Readonly<
  Record<string, (ledger: Ledger, round: number) => Effect.Effect<unknown, unknown, Analytics>>
> = {
  usage: ({ caller }) =>
    Analytics.use((all) => all.readUsage({ caller, ...NO_RANGE, filter: NO_FILTER, groupBy: undefined })),
  "usage by model": ({ caller }) =>
    Analytics.use((all) => all.readUsage({ caller, ...NO_RANGE, filter: NO_FILTER, groupBy: "model" })),
  "usage of an agent": ({ agentId, caller }) =>
    Analytics.use((all) =>
      all.readUsage({ caller, ...NO_RANGE, filter: { ...NO_FILTER, agentId }, groupBy: undefined })
    ),
  hourly: ({ caller }) => Analytics.use((all) => all.readHourlyUsage({ caller, ...NO_RANGE, filter: NO_FILTER })),
  billing: ({ caller }) => Analytics.use((all) => all.readBillingMonth({ caller, month: undefined })),
  "runs/{run_id}/costs": ({ caller, runs }, round) =>
    Analytics.use((all) => all.readRunCosts({ caller, runId: runIdOf(runs[round % runs.length] ?? 0) })),
  "runs/{run_id}/requests": ({ caller, runs }, round) =>
    Analytics.use((all) =>
      all.listRunRequests({
        caller,
        runId: runIdOf(runs[round % runs.length] ?? 0),
        page: { limit: 50, before: undefined }
      })
    )
}

const timed = async (ledger: Ledger, reading: Effect.Effect<unknown, unknown, Analytics>) => {
  const begun = performance.now()
  await ledger.runtime.runPromise(reading)
  return performance.now() - begun
}

/** The statements that write one call: its admission, its settlement and their consequences. */
const statementsOfACall = async ({ agentId, caller, count, runs, runtime }: Ledger) => {
  const call = {
    ...caller,
    id: CallId.make(SecureRandom.uuidV7Unsafe()),
    runId: runIdOf(runs[0] ?? 0),
    sessionId: agentId,
    agentId,
    attempt: 1,
    provider: "openai",
    requestModel: "gpt-4o-mini",
    keySource: "platform" as const,
    keyId: null,
    inputTokensMax: 1_000,
    outputTokensMax: 100,
    outputTokensMin: 100,
    runCapUsd: null
  }
  let before = { ...count }
  /** The work since the last look. */
  const done = () => {
    const writes = count.writes - before.writes
    const reads = count.statements - before.statements - writes
    before = { ...count }
    return `${writes} that write and ${reads} that read`
  }
  const admission = await runtime.runPromise(Billing.use((billing) => billing.reserveCall(call)))
  const admitting = done()
  await runtime.runPromise(
    Billing.use((billing) =>
      billing.settleCall({
        call,
        admission,
        status: "ok",
        errorCode: null,
        finishReason: "stop",
        responseModel: null,
        startedAt: DateTime.makeUnsafe(Date.now()),
        durationMillis: 1,
        timeToFirstTokenMillis: null,
        usage: { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 10, reasoningTokens: 0 },
        sent: true
      })
    )
  )
  say(`statements of one call: ${admitting} to admit it, ${done()} to settle it`)
}

const postgres = await startOwnPostgres()
try {
  const small = await makeLedger(postgres.url, SMALL)
  const large = await makeLedger(postgres.url, LARGE)
  say(`${"p50 in ms".padEnd(24)} ${String(SMALL).padStart(10)} ${String(LARGE).padStart(10)}  ratio  statements`)
  for (const [name, reading] of Object.entries(READINGS)) {
    const times: { readonly small: Array<number>; readonly large: Array<number> } = { small: [], large: [] }
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const one = await timed(small, reading(small, round + WARM_UP))
      const other = await timed(large, reading(large, round + WARM_UP))
      if (round < 0) continue
      times.small.push(one)
      times.large.push(other)
    }
    const before = large.count.statements
    await timed(large, reading(large, 0))
    const [one, other] = [percentile(times.small, 0.5), percentile(times.large, 0.5)]
    say(
      `${name.padEnd(24)} ${one.toFixed(2).padStart(10)} ${other.toFixed(2).padStart(10)}  ${(other / one).toFixed(2)}  ` +
        `${large.count.statements - before}`
    )
  }
  await statementsOfACall(large)
  await small.close()
  await large.close()
} finally {
  await postgres.stop()
}
