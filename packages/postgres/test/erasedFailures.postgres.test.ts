/** A run is erased while its failure goes into the notice that counts an agent's failures. */
import { FeedEraser, NotificationFeed } from "@agent-platform/feeds"
import { atomic, FeedLog, Uuid } from "@agent-platform/kernel"
import { aNotification, anId, aTenant } from "@agent-platform/kernel/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))

describe("the failure of a run that is erased", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("is in no notice, also where it was being counted just then", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { organizationId, workspaceId } = yield* aTenant()
        const now = yield* DateTime.now
        const about = anId(Uuid)
        const failed = (body: string, seconds: number) =>
          aNotification({
            ...{ organizationId, workspaceId, about, body, type: "run.failed" },
            createdAt: DateTime.add(now, { seconds }),
            payload: { run_id: anId(Uuid) }
          })
        const notices = Array.from({ length: 12 }, (_, place) => failed(`failure ${place}`, place))
        const last = failed("a secret that is erased", 20)
        const notify = (...all: typeof notices) => FeedLog.use((log) => atomic(log.notify(...all)))
        const file = NotificationFeed.use((feed) => feed.file({ organizationId, workspaceId }, 100))
        yield* notify(...notices)
        yield* atomic(file)
        yield* notify(last)

        const [filed, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const filing = yield* Effect.forkChild(
          atomic(file.pipe(Effect.andThen(Deferred.succeed(filed, undefined)), Effect.andThen(Deferred.await(go))))
        )
        yield* Deferred.await(filed)
        const what = { _tag: "Resources", organizationId, workspaceId, ids: [String(last.payload["run_id"])] } as const
        const erasing = yield* Effect.forkChild(FeedEraser.use((eraser) => atomic(eraser.erase(what, 100))))
        const waiting = sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
        `
        while ((yield* waiting).length === 0) yield* Effect.sleep("5 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Effect.all([Fiber.join(filing), Fiber.join(erasing)])
        const left = yield* sql`
          select from agent_platform.notification where organization_id = ${organizationId} and body like '%secret%'
        `
        assert.lengthOf(left, 0)
      })
    )
  })
})
