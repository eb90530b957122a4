/** Every job of the scheduler, done by several processes at the same moment: as a lapse of the queue's hold would have it. */
import { UnitOfWork } from "@agent-platform/kernel"
import { aTenant } from "@agent-platform/kernel/testing"
import { ApiKeyStore } from "@agent-platform/keys"
import { anApiKey } from "@agent-platform/keys/testing"
import { RunHistoryDays, SCHEDULED_JOBS } from "@agent-platform/platform"
import { AgentStore, RunAcceptance } from "@agent-platform/runs"
import { anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerTenants } from "../../../packages/postgres/test/support/tenants.ts"
import { layerCommand } from "../src/layers.ts"
import { Database, layer as operating } from "./operating.ts"

const PROCESSES = 3

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** Work for every job: what is old, what expires, and what is still to be filed. */
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

suite(Layer.provideMerge(layerTenants, operating), { excludeTestServices: true, timeout: "60 seconds" })(
  "jobs that several processes do at once",
  (it) => {
    it.effect("come to what one would have come to, each of them", () =>
      Effect.gen(function* () {
        const { url } = yield* Database
        const { keys } = yield* seed
        for (const { kind, run } of SCHEDULED_JOBS) {
          const processes = Array.from({ length: PROCESSES }, () =>
            run.pipe(Effect.provideService(RunHistoryDays, 40), Effect.provide(Layer.fresh(layerCommand(url))))
          )
          const summaries = yield* Effect.all(processes, { concurrency: "unbounded" })
          assert.lengthOf(summaries, PROCESSES, kind.name)
        }
        assert.deepStrictEqual(yield* counts, { idempotency: 0, logins: 0, history: 1, runs: 0, notices: keys })
      })
    )
  }
)
