/** pg-boss in a database of its own, for a test file. */
import type { JobKind } from "@agent-platform/kernel"
import { Boss, install, PgBossJobQueue, PgBossJobSource } from "@agent-platform/pg-boss"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { Context, Effect, Layer, type Redacted } from "effect"
import { freshDatabase } from "../../../postgres/test/support/database.ts"

/** Where the test's database is. */
export class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted>()("test/DatabaseUrl") {}

/** Makes the queue of a kind. */
export const installQueue = (kind: JobKind<never> | { readonly name: string }) =>
  DatabaseUrl.use((url) => Effect.orDie(install({ url }, [kind])))

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
    yield* install({ url }, [])
    return Layer.merge(workerLayer(url), Layer.succeed(DatabaseUrl, url))
  }).pipe(Effect.orDie)
)
