/** A database for each test file: a copy of a template that is migrated once for all files and runs. */

import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { layerClient, migrate } from "@agent-platform/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"

/** A superuser's connection string: what the tests' global setup provides, else TEST_DATABASE_URL. */
const adminUrl = (): string => {
  const url = inject("postgresUrl") ?? process.env.TEST_DATABASE_URL
  if (url === undefined)
    throw new Error("Tests over Postgres need TEST_DATABASE_URL, or the setup of infra/vitest.config.ts")
  return url
}

/** The connection string of another database of the same server. */
const urlOf = (database: string): Redacted.Redacted => {
  const url = new URL(adminUrl())
  url.pathname = `/${database}`
  return Redacted.make(url.href)
}

/** One connection as the superuser: CREATE DATABASE runs in no transaction, and a session lock needs its session. */
const asAdmin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  PgClient.makeClient({ url: Redacted.make(adminUrl()), applicationName: "agent-platform-tests" }).pipe(
    Effect.flatMap(use),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

const SOURCES = [
  "Migrations.ts",
  ...readdirSync(new URL("../../src/migrations", import.meta.url)).map((name) => `migrations/${name}`)
]

/** Named after all that makes the schema, so that a changed migration gets a template of its own. */
const templateName = () => {
  const hash = createHash("sha256")
  for (const name of SOURCES.sort())
    hash.update(name).update(readFileSync(new URL(`../../src/${name}`, import.meta.url)))
  return `agent_platform_template_${hash.digest("hex").slice(0, 16)}`
}

/** The name of a template that is migrated, made by whoever comes first. */
const ensureTemplate = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const name = templateName()
  yield* sql`select pg_advisory_lock(hashtextextended('agent_platform.test_template', 0))`
  const found = yield* sql<{ readonly marked: boolean }>`
    select coalesce(shobj_description(oid, 'pg_database') = 'migrated', false) as marked
    from pg_database where datname = ${name}
  `
  if (found[0]?.marked !== true) {
    yield* sql`drop database if exists ${sql(name)}`
    yield* sql`create database ${sql(name)}`
    yield* migrate.pipe(Effect.provide(layerClient({ url: urlOf(name), maxConnections: 2 })))
    yield* sql`comment on database ${sql(name)} is 'migrated'`
  }
  yield* sql`select pg_advisory_unlock(hashtextextended('agent_platform.test_template', 0))`
  return name
})

const makeDatabase = (from: "template" | "nothing") =>
  Effect.acquireRelease(
    asAdmin(
      Effect.fnUntraced(function* (sql) {
        const name = `agent_platform_test_${SecureRandom.uuidV4Unsafe().replaceAll("-", "")}`
        if (from === "nothing") yield* sql`create database ${sql(name)}`
        else yield* sql`create database ${sql(name)} template ${sql(yield* ensureTemplate(sql))}`
        return { name, url: urlOf(name) }
      })
    ),
    ({ name }) => Effect.ignore(asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`))
  )

/** The connection string of a migrated database that is dropped when the scope closes. */
export const freshDatabase = Effect.map(makeDatabase("template"), (database) => database.url)

/** The same without any table. */
export const emptyDatabase = Effect.map(makeDatabase("nothing"), (database) => database.url)

/** As many connections as a suite lets come at once, and some. */
const CONNECTIONS = 24

/** Opens all connections, so that what is to happen at once does not happen one after another as they are opened. */
const openAll = SqlClient.SqlClient.use((sql) =>
  Effect.scoped(Effect.forEach(Array.from({ length: CONNECTIONS }), () => sql.reserve, { concurrency: "unbounded" }))
)

/**
 * A client of a migrated database of its own. Unlike that of `layerClient` it never has two callers share a connection:
 * twelve who come at once are then like twelve processes, where shared they would wait for each other.
 */
export const databaseLayer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> = Layer.unwrap(
  Effect.map(freshDatabase, (url) => PgClient.layer({ url, maxConnections: CONNECTIONS }))
).pipe(
  Layer.tap((client) => Effect.provideContext(openAll, client)),
  Layer.orDie
)
