/** The first marking in a workspace while notices of it are filed. */
import { NotificationFeed } from "@agent-platform/feeds"
import { atomic, FeedLog, NotificationId, Uuid } from "@agent-platform/kernel"
import { aNotification, anId, aTenant } from "@agent-platform/kernel/testing"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))

const someWait = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  while ((yield* waiting).length === 0) yield* Effect.sleep("5 millis")
})

describe("the first marking in a workspace", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    for (const which of ["all", "some"] as const) {
      it.effect(`waits for a filing that closes notices, and no deadlock ends either of them: ${which}`, () =>
        Effect.gen(function* () {
          const workspace = yield* aTenant()
          const feed = yield* NotificationFeed
          const log = yield* FeedLog
          const about = anId(Uuid)
          const [question, other] = [aNotification({ ...workspace, about, title: "Closed" }), aNotification(workspace)]
          yield* atomic(log.notify(question, other))
          // The tally is there already, so that only the new reader is made by both.
          yield* atomic(feed.file(workspace, 10))
          const mark = which === "all" ? feed.markAllRead(workspace) : feed.markRead(workspace, [other.id])
          const [held, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const filing = yield* Effect.forkChild(
            atomic(
              Effect.gen(function* () {
                yield* feed.file(workspace, 10)
                yield* Deferred.succeed(held, undefined)
                yield* Deferred.await(go)
                yield* log.close({ id: anId(NotificationId), ...workspace, about, title: "Closed" })
                yield* feed.file(workspace, 10)
              })
            )
          )
          yield* Deferred.await(held)
          const marking = yield* Effect.forkChild(atomic(mark))
          yield* someWait
          yield* Deferred.succeed(go, undefined)
          yield* Effect.all([Fiber.join(filing), Fiber.join(marking)])
          assert.strictEqual((yield* feed.read(workspace)).unreadCount, 0)
        })
      )
    }
  })
})
