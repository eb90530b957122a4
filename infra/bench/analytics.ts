/**
 * The benchmark of readings: `npm run bench:analytics -- [--rows 1000000] [--small 10000] [--rounds 40] [--workspaces 500]`. Makes
 * two ledgers of one workspace each, rolls them up by the real job, and asks both in turn for every reading: what it takes must not
 * grow with the ledger, but for the readings by tags and metadata. Prints p50 in milliseconds over both, their ratio, and the
 * statements of each. Then the same of an organization: a ledger of many workspaces beside one of a single workspace.
 */

import { type Analytics, Billing, CallId, CallLedger, rollUpUsage } from "@agent-platform/billing"
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
import { CALLS_OF_A_RUN, DAYS, fillLedger, runIdOf, totals } from "./analytics/ledger.ts"
import { ORGANIZATION_READINGS, READINGS, type Readings } from "./analytics/readings.ts"
import { percentile } from "./measure.ts"

const {
  rows: LARGE,
  rounds: ROUNDS,
  small: SMALL,
  workspaces: WORKSPACES
} = readFlags("npm run bench:analytics", "What every reading costs over two ledgers.", {
  rows: { value: "N", default: 1_000_000, says: "Calls in the large ledger" },
  small: { value: "N", default: 10_000, says: "Calls in the small one" },
  workspaces: { value: "N", default: 500, says: "Workspaces of the organization" },
  rounds: { value: "N", default: 40, says: "How often each reading is asked for" }
})
/** Rounds whose times are not counted. */
const WARM_UP = 5

/** Different runs whose costs and requests are read, spread over the ledger. */
const RUNS_READ = 50

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Matches statements that write, not those that read or only lock rows. */
const WRITES = /\b(insert into|delete from|update \w+ set)\b/i

/** How many statements there were, and how many of them wrote. */
interface Count {
  statements: number
  writes: number
}

/** A client that counts the statements that run through it. */
const counting = (sql: SqlClient.SqlClient, count: Count): SqlClient.SqlClient =>
  new Proxy(sql, {
    apply: (target, self, args) => {
      const statement = Reflect.apply(target, self, args)
      // Fragments are made by the same call and never run by themselves; Effect asks for this member where it runs a statement.
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
const makeLedger = async (adminUrl: string, rows: number, workspaces = 1) => {
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
  const runs = Array.from({ length: RUNS_READ }, (_, index) => Math.floor((index * rows) / CALLS_OF_A_RUN / RUNS_READ))
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
      // The cast drops the token `Transaction`: this transaction is opened here, without a `UnitOfWork`.
      yield* sql.withTransaction(
        ledger.prepareMonths(DateTime.subtract(now, { days: DAYS }), now) as Effect.Effect<void>
      )
      const others = yield* sql<{ readonly id: string }>`
        insert into agent_platform.workspace (organization_id, id, name, timezone, created_at)
        select ${organizationId}, gen_random_uuid(), 'Customer ' || number,
          (array['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])[number % 4 + 1], now()
        from generate_series(2, ${workspaces}::int) as number
        returning id
      `
      yield* fillLedger({ organizationId, workspaceIds: [workspaceId, ...others.map(({ id }) => id)], agentId }, rows)
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
  const organization = { organizationId: caller.organizationId, workspaceId: undefined }
  return { runtime, organization, caller, agentId, runs, count, close: () => runtime.dispose() }
}

type Ledger = Awaited<ReturnType<typeof makeLedger>>

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
    // The session that `fillLedger` made has its agent's id.
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

/** Asks both ledgers in turn for each reading, and prints what that took. */
const compare = async (readings: Readings, small: Ledger, large: Ledger, [one, other]: readonly [string, string]) => {
  say(`${"p50 in ms".padEnd(26)} ${one.padStart(11)} ${other.padStart(10)}  ratio  statements`)
  for (const [name, reading] of Object.entries(readings)) {
    const times: { readonly small: Array<number>; readonly large: Array<number> } = { small: [], large: [] }
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const first = await timed(small, reading(small, round + WARM_UP))
      const second = await timed(large, reading(large, round + WARM_UP))
      if (round < 0) continue
      times.small.push(first)
      times.large.push(second)
    }
    const before = large.count.statements
    await timed(large, reading(large, 0))
    const [first, second] = [percentile(times.small, 0.5), percentile(times.large, 0.5)]
    say(
      `${name.padEnd(26)} ${first.toFixed(2).padStart(11)} ${second.toFixed(2).padStart(10)}  ${(second / first).toFixed(2)}  ` +
        `${large.count.statements - before}`
    )
  }
}

const postgres = await startOwnPostgres()
try {
  const small = await makeLedger(postgres.url, SMALL)
  const large = await makeLedger(postgres.url, LARGE)
  await compare(READINGS, small, large, [String(SMALL), String(LARGE)])
  await statementsOfACall(large)
  const many = await makeLedger(postgres.url, LARGE, WORKSPACES)
  await compare(ORGANIZATION_READINGS, large, many, ["1 workspace", `${WORKSPACES}`])
  for (const ledger of [small, large, many]) await ledger.close()
} finally {
  await postgres.stop()
}
