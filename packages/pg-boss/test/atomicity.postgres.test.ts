/** A row, the event that reports it and the job that acts on it: together or not at all. */
import { defineJob, EventLog, JobQueue, UnitOfWork } from "@agent-platform/kernel"
import { anEvent } from "@agent-platform/kernel/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ask, installQueue, queueLayer } from "./support/queue.ts"

const kind = defineJob("atomicity.check", Schema.Struct({ event_id: Schema.String }))

suite(queueLayer, { excludeTestServices: true })("one transaction", (it) => {
  const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

  /** Writes all three, goes on with `then` in the same transaction, and says which of the three remain. */
  const remainsAfter = <A, E, R>(
    end: (transaction: Effect.Effect<void>) => Effect.Effect<A, E, R>,
    then: Effect.Effect<unknown, string>
  ) =>
    Effect.gen(function* () {
      yield* installQueue(kind)
      const sql = yield* SqlClient.SqlClient
      const context = yield* Effect.context<UnitOfWork | JobQueue | EventLog>()
      const event = anEvent()
      yield* end(
        atomic(
          Effect.gen(function* () {
            yield* Effect.orDie(sql`
            insert into organization (id, name, created_at) values (${event.organizationId}, 'one', now())
          `)
            yield* EventLog.use((log) => log.append(event))
            yield* JobQueue.use((queue) => queue.enqueue(kind, { event_id: event.id }))
            yield* then
          })
        ).pipe(Effect.ignore, Effect.provideContext(context))
      )
      const jobs = yield* ask((boss) => boss.findJobs(kind.name, { data: { event_id: event.id } }))
      return {
        row: (yield* sql`select 1 from organization where id = ${event.organizationId}`).length,
        event: (yield* EventLog.use((log) => log.find([event.id]))).length,
        job: jobs.length
      }
    })

  it.effect("keeps all three when it commits", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* remainsAfter((done) => done, Effect.void), { row: 1, event: 1, job: 1 })
    })
  )

  it.effect("keeps none when it fails", () =>
    Effect.gen(function* () {
      const remains = yield* remainsAfter((done) => done, Effect.fail("refused"))
      assert.deepStrictEqual(remains, { row: 0, event: 0, job: 0 })
    })
  )

  it.effect("keeps none when it dies", () =>
    Effect.gen(function* () {
      const remains = yield* remainsAfter((done) => Effect.exit(done), Effect.die("defect"))
      assert.deepStrictEqual(remains, { row: 0, event: 0, job: 0 })
    })
  )

  it.effect("keeps none when it is interrupted", () =>
    Effect.gen(function* () {
      const written = yield* Deferred.make<void>()
      const remains = yield* remainsAfter(
        Effect.fnUntraced(function* (transaction) {
          const fiber = yield* Effect.forkChild(transaction)
          yield* Deferred.await(written)
          yield* Fiber.interrupt(fiber)
          assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        }),
        Effect.andThen(Deferred.succeed(written, undefined), Effect.never)
      )
      assert.deepStrictEqual(remains, { row: 0, event: 0, job: 0 })
    })
  )

  // Interrupted while the statement of pg-boss itself is on its way: it must not land after the rollback.
  it.effect("keeps none when it is interrupted at any moment", () =>
    Effect.gen(function* () {
      for (let turns = 0; turns < 40; turns++) {
        const remains = yield* remainsAfter(
          Effect.fnUntraced(function* (transaction) {
            const fiber = yield* Effect.forkChild(transaction)
            for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => new Promise(setImmediate))
            yield* Fiber.interrupt(fiber)
          }),
          Effect.never
        )
        assert.deepStrictEqual(remains, { row: 0, event: 0, job: 0 }, `after ${turns} turns`)
      }
    })
  )
})
