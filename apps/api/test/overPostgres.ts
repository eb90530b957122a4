/** Every port of the API over a Postgres database of the test file's own, which is dropped afterwards, and over its queue. */
import { randomUUID } from "node:crypto"
import { Boss, install, PgBossJobQueue, PgBossJobSource, QUEUE_SCHEMA } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
import { layerClient, layer as layerPostgres, migrateFor, TIMEOUTS } from "@agent-platform/postgres"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import {
  APP,
  connected,
  makeDatabase,
  makeRoles,
  OWNER,
  type TestServer,
  urlOf
} from "../../../packages/postgres/test/support/roles.ts"
import { ensureTemplate } from "../../../packages/postgres/test/support/template.ts"
import { layerKernel, layerProviders } from "./support.ts"

/** Nobody wants to wait for a lock as long as in earnest. */
const TIMEOUTS_OF_TESTS = { ...TIMEOUTS.requests, lock: 4 }

/** The name of the database. */
export const DATABASE = `api_test_${randomUUID().replaceAll("-", "")}`

const server = (): TestServer => ({ superuserUrl: inject("postgresUrl") })

/** Does something as the superuser, from another database of the server. */
export const asAdmin = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.suspend(() => connected(Redacted.make(inject("postgresUrl")), use))

/** Does something as the owner of the database. */
export const inDatabase = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.suspend(() => connected(urlOf(server(), DATABASE, OWNER), use))

const layerDatabase = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.gen(function* () {
      const ownerUrl = urlOf(server(), DATABASE, OWNER)
      yield* asAdmin(
        Effect.fnUntraced(function* (sql) {
          yield* makeRoles(server(), sql)
          yield* makeDatabase(sql, DATABASE, yield* ensureTemplate(server(), sql))
        })
      )
      yield* install({ url: ownerUrl }, JOB_KINDS)
      yield* migrateFor(APP, QUEUE_SCHEMA).pipe(Effect.provide(layerClient({ url: ownerUrl, maxConnections: 1 })))
    }),
    () => Effect.ignore(asAdmin((sql) => sql`drop database ${sql(DATABASE)} with (force)`))
  )
)

/** The ports. Secrets and the way out are in memory: they are not what this is about. */
export const layerPorts = Layer.suspend(() => {
  const url = urlOf(server(), DATABASE, APP)
  return Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
    Layer.provide(Boss.layer({ url })),
    Layer.provideMerge(layerPostgres),
    Layer.provideMerge(layerProviders),
    Layer.provideMerge(layerKernel),
    Layer.provideMerge(layerClient({ url, maxConnections: 8, timeouts: TIMEOUTS_OF_TESTS })),
    Layer.provide(layerDatabase)
  )
})
