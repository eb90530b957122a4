/** A database for each test file: a copy of a template that is migrated once for all files and runs. */

import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import { APP, connected, makeDatabase as makeOwned, makeRoles, OWNER, type TestServer, urlOf } from "./roles.ts"
import { ensureTemplate } from "./template.ts"

/** By a superuser's connection string: what the tests' global setup provides, else TEST_DATABASE_URL. */
const server = (): TestServer => {
  const superuserUrl = inject("postgresUrl") ?? process.env.TEST_DATABASE_URL
  if (superuserUrl === undefined)
    throw new Error("Tests over Postgres need TEST_DATABASE_URL, or the setup of infra/vitest.config.ts")
  return { superuserUrl }
}

const asAdmin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  connected(Redacted.make(server().superuserUrl), use)

const ofRole =
  (role: typeof OWNER | typeof APP) =>
  (url: Redacted.Redacted): Redacted.Redacted =>
    urlOf(server(), new URL(Redacted.value(url)).pathname.slice(1), role)

/** The same database by the role that owns it. */
export const ownerOf = ofRole(OWNER)

/** The same database by the role of the apps. */
export const appOf = ofRole(APP)

const asRole =
  (role?: typeof OWNER) =>
  <A>(act: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
      return yield* connected(urlOf(server(), row?.name ?? "", role), act)
    }).pipe(Effect.orDie)

/** Does something in the database of the suite as the role that owns it, over a connection of its own. */
export const asOwner = asRole(OWNER)

/** The same as a superuser. */
export const asSuperuser = asRole()

/** Brings the statistics of every table up to date, which is the owner's to do. */
export const analyze = asOwner((sql) => sql`analyze`)

const makeDatabase = (from: "template" | "nothing") =>
  Effect.acquireRelease(
    asAdmin(
      Effect.fnUntraced(function* (sql) {
        const name = `agent_platform_test_${SecureRandom.uuidV4Unsafe().replaceAll("-", "")}`
        yield* makeRoles(server(), sql)
        yield* makeOwned(sql, name, from === "nothing" ? undefined : yield* ensureTemplate(server(), sql))
        return name
      })
    ),
    (name) => Effect.ignore(asAdmin((sql) => sql`drop database if exists ${sql(name)} with (force)`))
  )

/** The connection string of the apps for a migrated database that is dropped when the scope closes. */
export const freshDatabase = Effect.map(makeDatabase("template"), (name) => urlOf(server(), name, APP))

/** The owner's connection string of a database without any table. */
export const emptyDatabase = Effect.map(makeDatabase("nothing"), (name) => urlOf(server(), name, OWNER))

/** As many connections as a suite may hold at a time. */
const CONNECTIONS = 24

/** As many as come at once where suites let callers race, and one beside them. Each costs 12 ms of processor time to open. */
const CONNECTIONS_OPEN = 13

/** Opens connections, so that what is to happen at once does not happen one after another as they are opened. */
const openSome = SqlClient.SqlClient.use((sql) =>
  Effect.scoped(
    Effect.forEach(Array.from({ length: CONNECTIONS_OPEN }), () => sql.reserve, { concurrency: "unbounded" })
  )
)

/**
 * A client of a migrated database of its own. Unlike that of `layerClient` it never has two callers share a connection:
 * twelve who come at once are then like twelve processes, where shared they would wait for each other.
 */
export const databaseLayer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> = Layer.unwrap(
  Effect.map(freshDatabase, (url) => PgClient.layer({ url, maxConnections: CONNECTIONS }))
).pipe(
  Layer.tap((client) => Effect.provideContext(openSome, client)),
  Layer.orDie
)
