/** Roll-ups after a dump is restored on another server, whose transactions have other numbers. */
import { CallId, CallLedger, rollUpUsage } from "@agent-platform/billing"
import { aBilledRun, aCallEnd, aReservation, type BilledRun, Zones } from "@agent-platform/billing/testing"
import { UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { layer as postgres, renewMarks } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerBilledRuns } from "./support/billedRuns.ts"
import { databaseLayer } from "./support/database.ts"
import { layerEndedRuns } from "./support/endedRuns.ts"
import { layerTenants } from "./support/tenants.ts"

const layer = Layer.mergeAll(layerTenants, layerBilledRuns, layerEndedRuns, Zones.layer).pipe(
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer)
)

const call = Effect.fnUntraced(function* (run: BilledRun) {
  const ledger = yield* CallLedger
  const unit = yield* UnitOfWork
  const reservation = aReservation({ ...run, id: anId(CallId) })
  yield* ledger.reserve(reservation)
  yield* unit.atomic(ledger.settle(run.workspaceId, reservation.id, aCallEnd()))
})

const counted = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly count: number }>`
    select coalesce(sum(requests), 0)::int as count from usage_roll_up where level = 'day'
  `
).pipe(
  Effect.orDie,
  Effect.map(([row]) => row?.count)
)

suite(layer, { excludeTestServices: true })("roll-ups of a restored dump", (it) => {
  it.effect("stop instead of leaving out what is recorded, and go on once the marks are renewed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const run = yield* aBilledRun()
      const until = (count: number) =>
        Effect.gen(function* () {
          for (let look = 0; look < 400 && (yield* counted) !== count; look++) {
            yield* rollUpUsage()
            yield* Effect.sleep("5 millis")
          }
          assert.strictEqual(yield* counted, count)
        })
      yield* call(run)
      yield* call(run)
      yield* until(2)

      // As on the server that the dump is from, which was far ahead: two calls are rolled up, one is not.
      yield* sql`update model_call set recorded_xid = '900000000000'`
      yield* call(run)
      yield* sql`update model_call set recorded_xid = '900000000001' where recorded_xid < '900000000000'`
      yield* sql`
        update roll_up_state set calls_place = regexp_replace(calls_place, '^[0-9]+/.*',
          '900000000000/ffffffff-ffff-ffff-ffff-ffffffffffff/ffffffff-ffff-ffff-ffff-ffffffffffff')
      `
      yield* call(run)
      const stopped = yield* Effect.catchDefect(Effect.as(rollUpUsage(), "went on"), (defect) =>
        Effect.succeed(defect instanceof Error ? defect.message : "something else")
      )
      assert.include(stopped, "restored from a dump")
      assert.strictEqual(yield* counted, 2)

      // Rows recorded here before the renewal count as old, so no traffic may come before it.
      yield* sql`delete from model_call where recorded_xid < '900000000000'`
      const rehearsed = yield* renewMarks({ dryRun: true })
      assert.deepStrictEqual(rehearsed, {
        needed: true,
        marked: [
          { kind: "model calls", rows: 3, unrolled: 1 },
          { kind: "corrections", rows: 0, unrolled: 0 },
          { kind: "runs", rows: 0, unrolled: 0 },
          { kind: "entries of activity", rows: 0, unrolled: 0 }
        ]
      })
      assert.deepStrictEqual(yield* renewMarks({ dryRun: false }), rehearsed)
      assert.deepStrictEqual(yield* renewMarks({ dryRun: false }), { needed: false, marked: [] })
      yield* call(run)
      yield* until(4)
    })
  )
})
