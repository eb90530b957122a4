import { UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { CallId } from "../LedgerEntry.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { RollUpStore } from "../ports/RollUpStore.ts"
import { UsageReadings } from "../ports/UsageReadings.ts"
import { rollUpUsage } from "../use-cases/analytics/rollUpUsage.ts"
import { aBilledRun, aCallEnd, aReservation, type BilledRun } from "./BilledRuns.ts"
import { EndedRuns } from "./EndedRuns.ts"
import type { RollUpPorts } from "./rollUpContract.ts"
import { caughtUp } from "./usageScript.ts"
import { aTenantIn } from "./zones.ts"

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** A call that was made then and is settled now. */
const call = Effect.fnUntraced(function* (run: BilledRun, calledAt: DateTime.Utc, costUsd: string) {
  const ledger = yield* CallLedger
  const reservation = aReservation({ ...run, id: anId(CallId), calledAt })
  yield* ledger.reserve(reservation)
  yield* atomic(ledger.settle(run.workspaceId, reservation.id, aCallEnd({ costUsd })))
})

const dayIn = Effect.fnUntraced(function* ({ workspaceId }: BilledRun, at: DateTime.Utc) {
  const readings = yield* UsageReadings
  const date = DateTime.formatIso(at).slice(0, 10)
  const { days } = yield* readings.days(workspaceId, date.slice(0, 7))
  return days.find((day) => day.date === date)
})

/** What becomes of what is recorded when its day is over, and who may roll up. */
export const lateCases = (it: Vitest.MethodsNonLive<RollUpPorts>) => {
  it.effect("leave a final day as it was, and show what comes later as an adjustment of it", () =>
    Effect.gen(function* () {
      const run = yield* Effect.flatMap(aTenantIn("UTC"), aBilledRun)
      const now = yield* DateTime.now
      const [longAgo, yesterday] = [DateTime.subtract(now, { days: 3 }), DateTime.subtract(now, { hours: 24 })]
      yield* caughtUp
      yield* call(run, longAgo, "0.10")
      yield* call(run, yesterday, "0.25")
      const ended = yield* EndedRuns
      yield* atomic(ended.end(run, { outcome: "succeeded", finishedAt: longAgo }))
      yield* caughtUp
      const late = yield* dayIn(run, longAgo)
      assert.deepInclude(late, {
        runs: 0,
        requests: 0,
        byokCostUsd: "0.00",
        platformCostUsd: "0.00",
        adjustmentsUsd: "0.10",
        revision: 1
      })
      const open = yield* dayIn(run, yesterday)
      assert.deepInclude(open, { requests: 1, platformCostUsd: "0.25", adjustmentsUsd: "0.00", revision: 0 })

      yield* call(run, longAgo, "0.000000000001")
      yield* call(run, longAgo, "0.00")
      yield* caughtUp
      assert.deepInclude(yield* dayIn(run, longAgo), { requests: 0, adjustmentsUsd: "0.100000000001", revision: 2 })
    })
  )

  it.effect("are as of a later time after every batch, also when nothing happens", () =>
    Effect.gen(function* () {
      const readings = yield* UsageReadings
      yield* caughtUp
      const before = yield* readings.asOf
      let after = before
      for (let look = 0; look < 100 && DateTime.isLessThanOrEqualTo(after, before); look++) {
        yield* rollUpUsage()
        after = yield* readings.asOf
        yield* Effect.sleep("2 millis")
      }
      assert.isTrue(DateTime.isGreaterThan(after, before))
      assert.isTrue(DateTime.isLessThanOrEqualTo(after, DateTime.add(yield* DateTime.now, { seconds: 1 })))
    })
  )

  it.effect("are made by one of all who try, and not again for a while if they are asked to be quiet", () =>
    Effect.gen(function* () {
      const store = yield* RollUpStore
      const done = yield* Effect.forEach(Array.from({ length: 6 }), () => rollUpUsage({ quietSeconds: 60 }), {
        concurrency: "unbounded"
      })
      assert.isAtMost(done.filter(({ _tag }) => _tag === "RolledUp").length, 1)
      yield* rollUpUsage()
      assert.strictEqual((yield* rollUpUsage({ quietSeconds: 60 }))._tag, "Busy")
      // Nobody waits for whoever has the place.
      const holding = yield* Effect.forkChild(atomic(Effect.andThen(store.hold({ quietSeconds: 0 }), Effect.void)))
      yield* Fiber.join(holding)
      assert.strictEqual((yield* rollUpUsage())._tag, "RolledUp")
    })
  )

  it.effect("keep the zone of a month that something has happened in", () =>
    Effect.gen(function* () {
      const store = yield* RollUpStore
      const run = yield* Effect.flatMap(aTenantIn("Asia/Tokyo"), aBilledRun)
      const calledAt = DateTime.subtract(yield* DateTime.now, { days: 1 })
      yield* call(run, calledAt, "0.10")
      yield* caughtUp
      const [kept] = yield* store.months([run.workspaceId])
      assert.strictEqual(kept?.timezone, "Asia/Tokyo")
      if (kept === undefined) return
      yield* atomic(store.keepMonths([{ ...kept, timezone: "UTC" }]))
      assert.deepStrictEqual(yield* store.months([run.workspaceId]), [kept])
      assert.deepStrictEqual(yield* store.months([run.workspaceId], { start: kept.end, end: kept.end }), [])
    })
  )
}
