/** Every port of the API over a Postgres database of the test file's own, which is dropped afterwards, and over its queue. */
import { randomUUID } from "node:crypto"
import * as kernelMemory from "@agent-platform/kernel/memory"
import { Boss, install, PgBossJobQueue, PgBossJobSource } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
import { layerClient, layer as layerPostgres, migrate } from "@agent-platform/postgres"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { layerProviders } from "./support.ts"

/** The name of the database. */
export const DATABASE = `api_test_${randomUUID().replaceAll("-", "")}`

const urlOf = (database: string): Redacted.Redacted => {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${database}`
  return Redacted.make(url.href)
}

/** Does something as the superuser, from another database of the server. */
export const asAdmin = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(SqlClient.SqlClient, use).pipe(
    Effect.provide(layerClient({ url: Redacted.make(inject("postgresUrl")), maxConnections: 1 }))
  )

const layerDatabase = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.gen(function* () {
      yield* asAdmin((sql) => sql`create database ${sql(DATABASE)}`)
      yield* migrate.pipe(Effect.provide(layerClient({ url: urlOf(DATABASE), maxConnections: 1 })))
      yield* install({ url: urlOf(DATABASE) }, JOB_KINDS)
    }),
    () => Effect.ignore(asAdmin((sql) => sql`drop database ${sql(DATABASE)} with (force)`))
  )
)

/** The ports. Secrets and the way out are in memory: they are not what this is about. */
export const layerPorts = Layer.suspend(() =>
  Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
    Layer.provide(Boss.layer({ url: urlOf(DATABASE) })),
    Layer.provideMerge(layerPostgres),
    Layer.provideMerge(layerProviders),
    Layer.provideMerge(kernelMemory.layer),
    Layer.provideMerge(layerClient({ url: urlOf(DATABASE), maxConnections: 8 })),
    Layer.provide(layerDatabase)
  )
)
