/** Every job by the clock, of the scheduler and of workers, done by several processes at the same moment: as a lapse of the queue's hold would have it. */
import { CallLedger, PriceBook } from "@agent-platform/billing"
import { aReservation } from "@agent-platform/billing/testing"
import { SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { aTenant } from "@agent-platform/kernel/testing"
import { ApiKeyStore, PlatformKeys, ProviderKeyStore, ProviderKeys, providerKeyPlace } from "@agent-platform/keys"
import { layerProviderProbe } from "@agent-platform/keys/memory"
import { anApiKey, aProviderKey } from "@agent-platform/keys/testing"
import { layerBilling, layerSpendGate, RunHistoryDays, SCHEDULED_JOBS, WORKER_JOBS } from "@agent-platform/platform"
import {
  AgentRunner,
  AgentStore,
  makeDemo,
  RunAcceptance,
  ScheduleStore,
  Schedules,
  SpendGuard
} from "@agent-platform/runs"
import { anAgent, aRun, aSchedule, aSession } from "@agent-platform/runs/testing"
import { type EncryptionKey, SecretBoxAes } from "@agent-platform/secrets"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { layerTenants } from "../../../packages/postgres/test/support/tenants.ts"
import { layerCommand } from "../src/layers.ts"
import { Database, layer as operating } from "./operating.ts"

const PROCESSES = 3

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

const aKey = (id: string): EncryptionKey => ({
  id,
  key: Redacted.make(btoa(String.fromCharCode(...SecureRandom.randomBytesUnsafe(32))))
})
const [OLD, NEW] = [aKey("old"), aKey("new")]

/** The secret box of processes that still know the key before. */
const layerBox = Layer.orDie(SecretBoxAes.layer({ current: NEW, previous: [OLD] }))

/** Schedules of agents whose recipe is `demo`. */
const layerSchedules = Layer.unwrap(
  Effect.map(makeDemo("safe"), (demo) => Layer.provide(Schedules.layer, AgentRunner.layer([demo])))
).pipe(Layer.provide([layerSpendGate, SpendGuard.layerUnmetered]))

/** The services of one process that does the jobs of schedulers and of workers. */
const layerProcess = (url: Redacted.Redacted) =>
  Layer.merge(ProviderKeys.layer, Layer.provideMerge(layerSchedules, layerBilling)).pipe(
    Layer.provideMerge(Layer.mergeAll(layerBox, layerProviderProbe, PlatformKeys.layer({}), PriceBook.layerEmpty)),
    Layer.provideMerge(layerCommand(url))
  )

/**
 * More than a page of secrets under the key before, more than a batch of calls that nobody has settled, and schedules that are due for
 * several turns.
 */
const PROVIDER_KEYS = 130
const CALLS = 130
const SCHEDULES = 130

/** Work for the jobs of workers. */
const seedForWorkers = Effect.gen(function* () {
  const tenant = yield* aTenant()
  const box = yield* Effect.provide(SecretBox, Layer.orDie(SecretBoxAes.layer({ current: OLD, previous: [] })))
  const [keys, ledger] = [yield* ProviderKeyStore, yield* CallLedger]
  for (let made = 0; made < PROVIDER_KEYS; made++) {
    const key = aProviderKey(tenant)
    yield* atomic(keys.insert(key, yield* box.seal(providerKeyPlace(key), Redacted.make(`sk-${key.id}`))))
  }
  const agent = anAgent(tenant)
  const session = aSession(agent)
  const run = aRun(agent, session, { status: "running" })
  yield* atomic(
    Effect.andThen(
      AgentStore.use((store) => store.insert(agent)),
      RunAcceptance.use((store) =>
        store.insert([{ run: aRun(agent, session, { id: run.id }), events: [], beginsSession: true }])
      )
    )
  )
  const origin = { ...tenant, runId: run.id, sessionId: session.id, agentId: agent.id }
  for (let made = 0; made < CALLS; made++) yield* ledger.reserve(aReservation({ ...origin, holdSeconds: 0 }))
  const dueAt = DateTime.makeUnsafe(Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 60_000) * 60_000)
  const schedules = Array.from({ length: SCHEDULES }, () => aSchedule(agent, { cron: "17 3 * * *", nextRunAt: dueAt }))
  yield* atomic(ScheduleStore.use((store) => Effect.forEach(schedules, store.insert)))
  return tenant
}).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** Work for every job of schedulers: what is old, what expires, and what is still to be filed. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const old = DateTime.subtract(now, { days: 60 })
  yield* sql`
    insert into idempotency_key (scope, route, key, body_hash, resource_id, claimed_at)
    select 'scope', 'route', number::text, 'hash', gen_random_uuid()::text, now() - interval '2 days'
    from generate_series(1, 2500) as number
  `
  yield* sql`
    insert into login_attempt (hash, provider, return_to, client_network, expires_at)
    select number::text, 'google', '/', '203.0.113.0/24', now() - interval '1 hour' from generate_series(1, 300) as number
  `
  yield* sql`
    insert into job_run (id, name, trigger, holder, status, started_at, finished_at, items_done)
    select gen_random_uuid(), 'things.old', 'schedule', 'a', 'succeeded', now() - interval '200 days', now(), 0
    from generate_series(1, 300)
  `
  const tenant = yield* aTenant()
  const expiresAt = DateTime.add(now, { days: 3 })
  const keys = Array.from({ length: 40 }, () =>
    anApiKey({ organizationId: tenant.organizationId, workspaceId: tenant.workspaceId, createdAt: old, expiresAt })
  )
  yield* atomic(ApiKeyStore.use((store) => Effect.forEach(keys, (key) => store.insert(key, key.id))))
  const agent = anAgent(tenant)
  const session = aSession(agent)
  const hex = DateTime.toEpochMillis(old).toString(16).padStart(12, "0")
  const fresh = aRun(agent, session)
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}${fresh.id.slice(13)}` as typeof fresh.id
  yield* atomic(
    Effect.gen(function* () {
      yield* AgentStore.use((store) => store.insert(agent))
      const run = aRun(agent, session, { id, status: "cancelled", createdAt: old, finishedAt: old })
      yield* RunAcceptance.use((store) => store.insert([{ run, events: [], beginsSession: true }]))
    })
  )
  return { keys: keys.length }
})

const counts = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<Record<string, number>>`
      select (select count(*)::int from idempotency_key) as idempotency, (select count(*)::int from login_attempt) as logins,
        (select count(*)::int from job_run where name = 'things.old') as history, (select count(*)::int from run) as runs,
        (select count(*)::int from notification) as notices
    `,
    ([row]) => row
  )
)

const workersCounts = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<Record<string, number>>`
      select (select count(*)::int from provider_key where sealed like 'v1.old.%') as under_old_key,
        (select count(*)::int from provider_key where sealed like 'v1.new.%') as under_new_key,
        (select count(*)::int from call_reservation) as reservations, (select count(*)::int from model_call) as calls,
        (select count(distinct id)::int from model_call) as different_calls,
        (select sum(spent_usd)::float8 from workspace_spend) as spent,
        (select count(*)::int from run where trigger_type = 'schedule') as scheduled_runs,
        (select count(distinct trigger_id)::int from run where trigger_type = 'schedule') as schedules
    `,
    ([row]) => row
  )
)

/** Has several processes do a job at the same moment. */
const together = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: PROCESSES }, () => act),
    { concurrency: "unbounded" }
  )

suite(Layer.provideMerge(layerTenants, operating), { excludeTestServices: true, timeout: "60 seconds" })(
  "jobs that several processes do at once",
  (it) => {
    it.effect("come to what one would have come to, each of them", () =>
      Effect.gen(function* () {
        const { url } = yield* Database
        const { keys } = yield* seed
        for (const { run } of SCHEDULED_JOBS) {
          yield* together(
            run.pipe(Effect.provideService(RunHistoryDays, 40), Effect.provide(Layer.fresh(layerCommand(url))))
          )
        }
        assert.deepStrictEqual(yield* counts, { idempotency: 0, logins: 0, history: 1, runs: 0, notices: keys })
      })
    )

    it.effect("settle each call once, make each run once, and lose no secret, where they are those of workers", () =>
      Effect.gen(function* () {
        const { url } = yield* Database
        yield* seedForWorkers
        for (const { run } of WORKER_JOBS) yield* together(run.pipe(Effect.provide(Layer.fresh(layerProcess(url)))))
        assert.deepStrictEqual(yield* workersCounts, {
          under_old_key: 0,
          under_new_key: PROVIDER_KEYS,
          reservations: 0,
          calls: CALLS,
          different_calls: CALLS,
          spent: CALLS / 10,
          scheduled_runs: SCHEDULES,
          schedules: SCHEDULES
        })
      })
    )
  }
)
