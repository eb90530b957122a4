/** Activity for exports over Postgres, where transactions overlap. */
import { ActivityHistory, ActivityWatermark } from "@agent-platform/feeds"
import { activityHistoryContract } from "@agent-platform/feeds/testing"
import { type ActivityRecord, FeedLog, type OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { anActivity, aTenant } from "@agent-platform/kernel/testing"
import { PgActivityHistory, layer as postgres, renewMarks } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bite } from "../../kernel/test/bite.ts"
import { analyze, databaseLayer } from "./support/database.ts"
import { explained } from "./support/explained.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))

const endMinute = (organizationId: OrganizationId) =>
  SqlClient.SqlClient.use(
    (sql) => sql`
      update activity set tallied_until = tallied_until - interval '2 minutes' where organization_id = ${organizationId}
    `
  ).pipe(Effect.orDie)

activityHistoryContract("Postgres", layer, endMinute)

/** Knows of no open transaction: what commits late lies before a place that was given out. */
const unheeding = Layer.effect(
  ActivityHistory,
  Effect.map(ActivityHistory, (history) => ({
    ...history,
    watermark: Effect.map(history.watermark, (mark) =>
      ActivityWatermark.make(mark.replace(/^\d+/, "9000000000000000000"))
    ),
    // By the true watermark a place may or may not be reached, as others on this server have transactions open or not.
    hasReached: () => Effect.succeed(true)
  }))
).pipe(Layer.provideMerge(layer))

bite(
  "a history that does not wait for open transactions",
  () => activityHistoryContract("a broken history", unheeding, endMinute),
  [
    "leaves out no entry whose transaction commits after a later one's",
    "gives nothing of what is recorded after the watermark was taken",
    "has reached the places of the organization that it gave, and no others"
  ]
)

const record = (...entries: ReadonlyArray<ActivityRecord>) =>
  Effect.all([UnitOfWork, FeedLog]).pipe(Effect.flatMap(([unit, log]) => unit.atomic(log.record(...entries))))

/** Waits for a fact that the database is asked for. */
const until = <R>(fact: Effect.Effect<boolean, never, R>) =>
  Effect.gen(function* () {
    for (let look = 0; look < 4_000; look++) {
      if (yield* fact) return
      yield* Effect.sleep("5 millis")
    }
    throw new Error("It does not come to be")
  })

suite(layer, { excludeTestServices: true })("activity for exports", (it) => {
  // Its minute may be over before it commits, and the entry is there already.
  it.effect("has no watermark while somebody who has tallied has not committed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [unit, log, history] = [yield* UnitOfWork, yield* FeedLog, yield* ActivityHistory]
      const entry = anActivity(yield* aTenant())
      const tally = log.tally({ entry, key: "api_key.refused", count: 1 })
      yield* unit.atomic(tally)
      const [tallied, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = yield* Effect.forkChild(
        unit.atomic(
          tally.pipe(
            // A read shows that the tally is in the database: a write may still be in flight.
            Effect.andThen(Effect.orDie(sql`select 1`)),
            Effect.andThen(Deferred.succeed(tallied, undefined)),
            Effect.andThen(Deferred.await(mayCommit))
          )
        )
      )
      yield* Deferred.await(tallied)
      const watermark = yield* Effect.forkChild(history.watermark)
      const waits = sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      yield* until(Effect.map(Effect.orDie(waits), (rows) => rows.length === 1 || watermark.pollUnsafe() !== undefined))
      assert.isUndefined(watermark.pollUnsafe())
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(slow)
      assert.match(yield* Fiber.join(watermark), /^\d+ \d+$/)
    })
  )

  it.effect("is read along its index, however many entries there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const entry = anActivity(yield* aTenant())
      yield* record(entry)
      yield* sql`
        insert into activity (organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary,
          resource_type, resource_id, payload, created_at, recorded_xid)
        select organization_id, workspace_id, gen_random_uuid(), action, actor_type, actor_id, actor_label, summary,
          resource_type, resource_id, payload, created_at, (n / 10)::text::xid8
        from activity, generate_series(10, 10000) as n where id = ${entry.id}
      `
      yield* analyze
      const before = yield* ActivityHistory.use((history) => history.watermark)
      const { organizationId } = entry
      const { plan } = yield* explained(
        Layer.fresh(PgActivityHistory.layer),
        ActivityHistory.use((history) => history.read({ organizationId, after: undefined, before, limit: 500 }))
      )
      assert.include(plan, "using activity_recorded")
      // Of the few entries of one transaction alone.
      assert.notMatch(plan, /(?<!Incremental )Sort {2}\(/)
    })
  )

  it.effect("is exported anew once the marks of a restored dump are renewed, and from no place of before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const history = yield* ActivityHistory
      const entry = anActivity(yield* aTenant())
      const { organizationId } = entry
      yield* record(entry)
      const read = Effect.flatMap(history.watermark, (before) =>
        history.read({ organizationId, after: undefined, before, limit: 9 })
      )
      yield* until(Effect.map(read, ({ entries }) => entries.length === 1))
      const { end } = yield* read
      assert.isDefined(end)
      // As on the server that the dump is from, which was far ahead.
      yield* sql`update activity set recorded_xid = '900000000000'`
      assert.isEmpty((yield* read).entries)
      assert.isFalse(yield* history.hasReached(organizationId, end))
      const { marked, needed } = yield* renewMarks({ dryRun: false })
      assert.isTrue(needed)
      assert.isTrue(marked.some(({ kind, rows }) => kind === "entries of activity" && rows > 0))
      assert.deepStrictEqual((yield* read).entries, [entry])
      assert.isFalse(yield* history.hasReached(organizationId, end))
    })
  )
})
