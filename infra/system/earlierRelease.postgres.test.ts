/** What a release does with the database of the one before it, while processes of that are still running. */
import { EventId, JobQueue, JobSource, Outbox, UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { Boss, PgBossJobQueue, PgBossJobSource } from "@agent-platform/pg-boss"
import { JOB_KINDS } from "@agent-platform/platform"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { installFor } from "../../packages/pg-boss/test/support/queue.ts"
import { adoptDispatches, oldDispatch } from "../../packages/platform/src/adoptDispatches.ts"
import { freshDatabase } from "../../packages/postgres/test/support/database.ts"

/** A database whose queues are these, with all ports over it. */
const withQueues = (kinds: ReadonlyArray<{ readonly name: string }>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* installFor(url, kinds)
      return Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
        Layer.provide(Boss.layer({ url })),
        Layer.provideMerge(postgres),
        Layer.provideMerge(layerClient({ url }))
      )
    })
  ).pipe(Layer.orDie, Layer.fresh)

describe("an earlier release", () => {
  it.live("has its events dispatched that it puts into its queue", () =>
    Effect.gen(function* () {
      const [unit, queue, outbox] = [yield* UnitOfWork, yield* JobQueue, yield* Outbox]
      yield* Effect.forkScoped(adoptDispatches)
      const ids = Array.from({ length: 5 }, () => anId(EventId))
      yield* unit.atomic(Effect.forEach(ids, (event_id) => queue.enqueue(oldDispatch, { event_id })))
      const events = yield* Effect.repeat(outbox.take(10), {
        until: (taken) => taken.length > 0,
        schedule: Schedule.spaced("20 millis")
      })
      assert.sameMembers(
        events.map(({ id }) => id),
        ids
      )
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`select 1 from pgboss.job where name = ${oldDispatch.name}`)
    }).pipe(Effect.scoped, Effect.provide(withQueues([oldDispatch, ...JOB_KINDS])))
  )

  it.live("need not have been there: without its queue there is nothing to move", () =>
    Effect.gen(function* () {
      const source = yield* JobSource
      assert.isEmpty(yield* source.take(oldDispatch, 10))
    }).pipe(Effect.provide(withQueues(JOB_KINDS)))
  )
})
