/** pg-boss in a database of its own, for a test file. */
import type { JobKind } from "@agent-platform/kernel"
import { Boss, install, PgBossJobQueue, PgBossJobSource, QUEUE_SCHEMA } from "@agent-platform/pg-boss"
import { grantAccess, inTurn, layerClient, layer as postgres } from "@agent-platform/postgres"
import { Context, Effect, Layer, type Redacted } from "effect"
import { freshDatabase, ownerOf } from "../../../postgres/test/support/database.ts"
import { APP } from "../../../postgres/test/support/roles.ts"

/** Where the test's database is. */
export class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** Installs the queue as migrations do: as the owner of the apps' database, whose role is granted what it needs. */
export const installFor = (url: Redacted.Redacted, kinds: ReadonlyArray<{ readonly name: string }>) =>
  inTurn(Effect.andThen(install({ url: ownerOf(url) }, kinds), grantAccess(APP, QUEUE_SCHEMA))).pipe(
    Effect.provide(layerClient({ url: ownerOf(url), maxConnections: 1 }))
  )

/** Makes the queue of a kind. */
export const installQueue = (kind: JobKind<never> | { readonly name: string }) =>
  DatabaseUrl.use((url) => Effect.orDie(installFor(url, [kind])))

/** All ports over one client, as a worker has them, sharing nothing with another. */
export const workerLayer = (url: Redacted.Redacted) =>
  Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
    Layer.provide(Boss.layer({ url })),
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
