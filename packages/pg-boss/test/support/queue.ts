/** pg-boss in a database of its own, for a test file. */
import type { QueueOfJobs } from "@agent-platform/kernel"
import { Boss, type BossDuties, install, PgBossJobQueue, PgBossJobSource, QUEUE_SCHEMA } from "@agent-platform/pg-boss"
import { grantAccess, inTurn, layerClient, layer as postgres } from "@agent-platform/postgres"
import { Context, Effect, Layer, type Redacted } from "effect"
import { PgBoss } from "pg-boss"
import { freshDatabase, ownerOf } from "../../../postgres/test/support/database.ts"
import { APP } from "../../../postgres/test/support/roles.ts"

/** Where the test's database is. */
export class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** Installs the queue as migrations do: as the owner of the apps' database, whose role is granted what it needs. */
export const installFor = (url: Redacted.Redacted, kinds: ReadonlyArray<QueueOfJobs>, schema = QUEUE_SCHEMA) =>
  inTurn(Effect.andThen(install({ url: ownerOf(url), schema }, kinds), grantAccess(APP, schema))).pipe(
    Effect.provide(layerClient({ url: ownerOf(url), maxConnections: 2 }))
  )

/** Makes the queue of a kind. */
export const installQueue = (kind: QueueOfJobs) => DatabaseUrl.use((url) => Effect.orDie(installFor(url, [kind])))

/** Asks pg-boss itself, beyond the calls that the package makes. */
export const ask = <A>(act: (boss: PgBoss) => Promise<A>) =>
  Boss.use((boss) =>
    boss.use((pgBoss) => {
      if (!(pgBoss instanceof PgBoss)) throw new TypeError("The calls are not those of pg-boss")
      return act(pgBoss)
    })
  )

/** All ports over one client, as a worker has them, sharing nothing with another. */
export const workerLayer = (url: Redacted.Redacted, duties: BossDuties = {}, schema = QUEUE_SCHEMA) =>
  Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
    Layer.provideMerge(Boss.layer({ url, schema }, duties)),
    Layer.provideMerge(postgres),
    Layer.provideMerge(layerClient({ url, maxConnections: 24 })),
    Layer.orDie,
    Layer.fresh
  )

/** The same over a database of its own, with pg-boss installed. */
export const queueLayer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* installFor(url, [])
    return Layer.merge(workerLayer(url), Layer.succeed(DatabaseUrl, url))
  }).pipe(Effect.orDie)
)
