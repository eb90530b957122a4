/** The support bundle over a database in which every place that people write to holds words that must not leave it. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CLOCK } from "@agent-platform/platform"
import { EXIT_REFUSED } from "@agent-platform/process"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { asOwner, ownerOf } from "../../../packages/postgres/test/support/database.ts"
import { APP, OWNER } from "../../../packages/postgres/test/support/roles.ts"
import { migrateDatabase } from "../src/migrateDatabase.ts"
import { assertPromised, bootstrapped, Database, layer as operating } from "./operating.ts"
import { runAdminIn } from "./program.ts"

/** In every text that is planted. */
const CANARY = "c4naryBird"

/** Schemas of the platform and of its queue. */
const SCHEMAS = ["agent_platform", "pgboss"]

interface TextColumn {
  readonly place: string
  readonly name: string
  readonly type: string
}

/**
 * Writes the canary into every column of every row that takes any text, whatever the column is for. Those with a list of words that
 * they take, and those that keys and references hold, refuse it and stay. Names of jobs stay, by which their runs are looked for.
 */
const plantEverywhere = asOwner((sql) =>
  Effect.gen(function* () {
    const columns = yield* sql<TextColumn>`
      select format('%I.%I', table_schema, table_name) as place, column_name as name, data_type as type
      from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema in ${sql.in(SCHEMAS)} and table_type = 'BASE TABLE' and table_name <> 'platform_migration' and (table_name, column_name) <> ('job_run', 'name')
        and data_type in ('text', 'jsonb', 'ARRAY') and (table_schema = 'agent_platform' or table_name like 'j%')
    `
    let planted = 0
    for (const { name, place, type } of columns) {
      const value = { text: `'${CANARY}'`, jsonb: `'{"${CANARY}": "${CANARY}"}'`, ARRAY: `array['${CANARY}']` }[type]
      const update = sql.unsafe(`update ${place} set "${name}" = ${value} where true returning 1 as one`)
      const rows = yield* Effect.orElseSucceed(sql.withTransaction(update), () => [])
      planted += rows.length
    }
    return planted
  })
)

/** Rows of everything that a bundle counts. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { organization_id, workspace_id } = yield* bootstrapped
  yield* sql`
    insert into agent_platform.agent (organization_id, workspace_id, id, name, recipe, recipes, version, created_at, updated_at)
    values (${organization_id}, ${workspace_id}, gen_random_uuid(), 'Demo', 'demo', '{}', 1, now(), now())
  `
  yield* sql`
    with made as (
      insert into agent_platform.session (organization_id, workspace_id, id, created_at)
      values (${organization_id}, ${workspace_id}, gen_random_uuid(), now()) returning *
    )
    insert into agent_platform.run (
      organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, interrupt_truncated, prompt,
      error, error_code, attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, started_at, finished_at,
      ended_xid, cost_usd, requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
      metadata, tags
    )
    select organization_id, workspace_id, gen_random_uuid(), made.id, n, agent.id, 'demo', 'failed', false, false, 'text', 'text',
      case n when 1 then 'worker_lost' when 2 then 'text' else 'agent_error' end, 1, 1, 60, 0, 'api', now(), now(), now(), pg_current_xact_id(),
      0, 0, 0, 0, 0, 0, 0, '{}', '{tag}'
    from made join agent_platform.agent using (organization_id, workspace_id) cross join generate_series(1, 4) as n
  `
  yield* sql`
    insert into agent_platform.webhook_endpoint (
      organization_id, id, url, event_types, description, status, disabled_reason, sealed_secret, created_at
    )
    select ${organization_id}, gen_random_uuid(), 'https://a:b@example.com/', '{}', 'text', 'disabled', reason, 'text', now()
    from unnest(array['failing', 'failing', 'text']) as reason
  `
  yield* sql`
    insert into agent_platform.job_run (id, name, trigger, holder, status, started_at, finished_at, items_done, error)
    values (gen_random_uuid(), 'runs.prune', 'schedule', 'scheduler host-1 4711', 'failed', now(), now(), 7, 'text'),
      (gen_random_uuid(), 'logins.prune', 'schedule', 'scheduler host-1 4711', 'failed', now(), now(), 0, 'deadlock detected')
  `
})

const layer = Layer.provideMerge(
  Layer.effectDiscard(Effect.flatMap(Database, ({ url }) => Effect.orDie(migrateDatabase(url, ownerOf(url))))),
  operating
)

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

interface Bundle {
  readonly versions: { readonly platform: string }
  readonly settings: Rows
  readonly findings: Rows
  readonly database: Readonly<Record<string, Rows>>
}

const rowOf = (rows: Rows | undefined, name: string, value: unknown) => rows?.find((row) => row[name] === value)

suite(layer, { excludeTestServices: true, timeout: "60 seconds" })("a support bundle", (it) => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "agent-platform-bundle-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )

  /** Makes one with these settings beside those that are right. */
  const bundled = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
    const { url } = yield* Database
    const file = join(yield* folder, "bundle.json")
    const args = ["support-bundle", "--json", "--file", file]
    const { code, err, out } = yield* runAdminIn({ DATABASE_URL: Redacted.value(url), ...environment }, ...args)
    assert.strictEqual(code, 0, err)
    const said = JSON.parse(out)
    assertPromised(args, said)
    const text = readFileSync(file, "utf8")
    assert.strictEqual(said.bytes, text.length)
    const bundle: Bundle = JSON.parse(text)
    return { file, unavailable: said.unavailable, text, bundle }
  }, Effect.scoped)

  it.effect("tells what a maintainer needs: settings, findings, sizes, endings by code, jobs and readings", () =>
    Effect.gen(function* () {
      yield* seed
      const { bundle, unavailable } = yield* bundled({ RUN_HISTORY_DAYS: "40" })
      assert.deepStrictEqual(unavailable, [])
      const { database, findings, settings } = bundle
      assert.deepInclude(rowOf(settings, "variable", "RUN_HISTORY_DAYS"), { is_given: true, is_valid: true, value: 40 })
      const url = rowOf(settings, "variable", "DATABASE_URL")
      assert.deepInclude(url, { is_given: true, value: "set" })
      assert.include(JSON.stringify(url?.["form"]), '"hosts":1,"unix_sockets":0,"sslmode":"disable"')
      assert.deepInclude(rowOf(settings, "variable", "SECRETS_KEY"), { is_given: false, is_valid: false, value: null })
      assert.strictEqual(database["schema_state"] as unknown, "current")
      assert.deepInclude(rowOf(database["migrations"], "domain", "webhooks"), { name: "first", number: 1 })
      assert.deepInclude(rowOf(database["tables"], "name", "run"), { part: "platform" })
      assert.isDefined(rowOf(database["tables"], "part", "queue"))
      assert.match(String(rowOf(database["postgres_settings"], "name", "max_connections")?.["value"]), /^\d+$/)
      assert.isNotNull(rowOf(database["postgres_settings"], "name", "TimeZone")?.["value"])
      const counted = (rows: Rows | undefined, ...names: ReadonlyArray<string>) =>
        (rows ?? []).map((row) => names.map((name) => row[name]))
      assert.sameDeepMembers(counted(database["recent_endings_of_runs"], "status", "error_code", "count"), [
        ["failed", "worker_lost", 1],
        ["failed", "agent_error", 2],
        ["failed", "other", 1]
      ])
      assert.sameDeepMembers(counted(database["endpoints"], "status", "reason", "count"), [
        ["disabled", "failing", 2],
        ["disabled", "other", 1]
      ])
      const failures = (name: string) =>
        counted(rowOf(database["jobs"], "name", name)?.["runs"] as Rows, "status", "held_by", "error_kind")
      assert.deepStrictEqual(failures("runs.prune"), [["failed", "scheduler", "other"]])
      assert.deepStrictEqual(failures("logins.prune"), [["failed", "scheduler", "deadlock"]])
      const outcomes = findings.filter(({ check }) => check === "jobs.outcomes")
      assert.sameDeepMembers(counted(outcomes, "level", "kind", "message"), [
        ["warning", "other", undefined],
        ["warning", "deadlock", undefined]
      ])
      assert.match(String(rowOf(findings, "check", "database.version")?.["message"]), /^Postgres \d+/)
      const disabled = database["readings"]?.filter(({ name }) => name === "agent_platform_disabled_endpoints")
      assert.include(JSON.stringify(disabled), '{"reason":"failing"},"value":2}')
      for (const { name } of CLOCK.map(({ kind }) => kind)) assert.isDefined(rowOf(database["jobs"], "name", name))
    })
  )

  it.effect("holds nothing that tenants, people, other programs or the operator have written, wherever they can", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const given = Redacted.value(database.url)
      assert.isAbove(yield* plantEverywhere, 20)
      const sql = yield* SqlClient.SqlClient
      // The proof is worth nothing where what is looked for was not there.
      const [held] = yield* sql<{ readonly runs: number }>`
        select count(*)::int as runs from agent_platform.run where error = ${CANARY} and prompt = ${CANARY}
      `
      assert.strictEqual(held?.runs, 4)
      const settings = {
        SECRETS_KEY: `${CANARY}-key`,
        DATABASE_OWNER_URL: `${given}?application_name=${CANARY}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `https://${CANARY}.example.com/${CANARY}`,
        OTEL_EXPORTER_OTLP_HEADERS: `api-key=${CANARY}`,
        OTEL_RESOURCE_ATTRIBUTES: `customer=${CANARY}`,
        METRICS_HOST: `${CANARY}.example.com`,
        WEBHOOK_HISTORY_DAYS: CANARY
      }
      // Another program that is named so, and holds a lock on a table that is named so, while the bundle is made.
      const made = Effect.provideService(bundled(settings), Database, database)
      const { bundle, text, unavailable } = yield* Effect.scoped(
        Effect.gen(function* () {
          const stranger = yield* Effect.acquireRelease(
            Effect.promise(async () => {
              const client = new pg.Client({ connectionString: given, application_name: CANARY })
              await client.connect()
              return client
            }),
            (client) => Effect.promise(() => client.end())
          )
          yield* Effect.promise(() =>
            stranger.query(
              `begin; select '${CANARY}' from pg_catalog.pg_class; lock table agent_platform.run in access share mode`
            )
          )
          return yield* made
        })
      )
      assert.deepStrictEqual(unavailable, [])
      assert.notInclude(text.toLowerCase(), CANARY.toLowerCase())
      for (const secret of [new URL(given).password, APP, OWNER, "host-1", "127.0.0.1", "example.com"]) {
        assert.notInclude(text, secret)
      }
      assert.lengthOf(rowOf(bundle.database["jobs"], "name", "runs.prune")?.["runs"] as Rows, 1)
      assert.isDefined(rowOf(bundle.database["open_transactions"], "program", "another program"))
      assert.isDefined(rowOf(bundle.database["locks"], "relation", "run"))
      assert.deepInclude(rowOf(bundle.settings, "variable", "WEBHOOK_HISTORY_DAYS"), { is_valid: false, value: null })
    })
  )

  it.effect("is written for its owner alone where the database is away, says so, and never over another file", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const file = join(place, "away.json")
      const environment = { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nowhere" }
      const { code, out } = yield* runAdminIn(environment, "support-bundle", "--file", file)
      assert.strictEqual(code, 0)
      assert.include(out, "These sections could not be read: database")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const text = readFileSync(file, "utf8")
      assert.deepStrictEqual(JSON.parse(text).database, { unavailable: "connection_failed" })
      for (const secret of ["nobody", "nowhere"]) assert.notInclude(text, secret)
      const again = yield* runAdminIn(environment, "support-bundle", "--file", file)
      assert.strictEqual(again.code, EXIT_REFUSED)
      assert.include(again.err, "The file cannot be written")
      assert.strictEqual(readFileSync(file, "utf8"), text)
    }).pipe(Effect.scoped)
  )
})
