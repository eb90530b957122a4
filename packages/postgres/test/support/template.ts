/** A migrated database that others are copies of: to migrate one anew takes ten times as long. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { grantAccess, layerClient, migrate, TIMEOUTS } from "@agent-platform/postgres"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { APP, makeDatabase as makeOwned, OWNER, type TestServer, urlOf } from "./roles.ts"

const SOURCES = [
  "Migrations.ts",
  "grantAccess.ts",
  ...readdirSync(new URL("../../src/migrations", import.meta.url)).map((name) => `migrations/${name}`)
]

/** Named after all that makes the schema, so that a changed migration gets a template of its own. */
const templateName = () => {
  const hash = createHash("sha256")
  for (const name of SOURCES.sort())
    hash.update(name).update(readFileSync(new URL(`../../src/${name}`, import.meta.url)))
  return `agent_platform_template_${hash.digest("hex").slice(0, 16)}`
}

/** The name of a migrated template, made by the first process that needs it. */
export const ensureTemplate = Effect.fnUntraced(function* (server: TestServer, sql: PgClient.PgClient) {
  const name = templateName()
  yield* sql`select pg_advisory_lock(hashtextextended('agent_platform.test_template', 0))`
  const found = yield* sql<{ readonly marked: boolean }>`
    select coalesce(shobj_description(oid, 'pg_database') = 'migrated', false) as marked
    from pg_database where datname = ${name}
  `
  if (found[0]?.marked !== true) {
    yield* sql`drop database if exists ${sql(name)}`
    yield* makeOwned(sql, name)
    yield* migrate.pipe(
      Effect.andThen(grantAccess(APP, "pgboss")),
      Effect.provide(layerClient({ url: urlOf(server, name, OWNER), maxConnections: 2, timeouts: TIMEOUTS.migrations }))
    )
    yield* sql`comment on database ${sql(name)} is 'migrated'`
  }
  yield* sql`select pg_advisory_unlock(hashtextextended('agent_platform.test_template', 0))`
  return name
})
