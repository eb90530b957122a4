import { atomic } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { CallId } from "../LedgerEntry.ts"
import { CallLedger } from "../ports/CallLedger.ts"
import { RollUpStore } from "../ports/RollUpStore.ts"
import { UsageCorrections } from "../ports/UsageCorrections.ts"
import { UsageReadings } from "../ports/UsageReadings.ts"
import { CorrectionId } from "../UsageCorrection.ts"
import { listRunRequests, readRunCosts } from "../use-cases/analytics/readRunCosts.ts"
import { rollUpUsage } from "../use-cases/analytics/rollUpUsage.ts"
import { aBilledRun, aCallEnd, aReservation, type BilledRun } from "./BilledRuns.ts"
import { EndedRuns } from "./EndedRuns.ts"
import type { RollUpPorts } from "./rollUpContract.ts"
import { caughtUp } from "./usageScript.ts"
import { aTenantIn } from "./zones.ts"

/** Settles calls from an earlier time now, in one transaction, so that one roll-up has all of them whatever else is written. */
const call = Effect.fnUntraced(function* (run: BilledRun, calledAt: DateTime.Utc, ...costs: ReadonlyArray<string>) {
  const ledger = yield* CallLedger
  const ends = costs.map((costUsd) => ({ id: anId(CallId), end: aCallEnd({ costUsd }) }))
  yield* Effect.forEach(ends, ({ id }) => ledger.reserve(aReservation({ ...run, id, calledAt })))
  yield* atomic(Effect.forEach(ends, ({ end, id }) => ledger.settle(run.workspaceId, id, end)))
})

const dayIn = Effect.fnUntraced(function* ({ workspaceId }: BilledRun, at: DateTime.Utc) {
  const readings = yield* UsageReadings
  const date = DateTime.formatIso(at).slice(0, 10)
  const { days } = yield* readings.days([workspaceId], date.slice(0, 7))
  return days.find((day) => day.date === date)
})

/** Cases about usage that is recorded after its day has ended, and about the single worker that rolls up. */
export const lateCases = (it: Vitest.MethodsNonLive<RollUpPorts>) => {
  it.effect("leave a final day as it was, and show what comes later as an adjustment of it", () =>
    Effect.gen(function* () {
      const run = yield* Effect.flatMap(aTenantIn("UTC"), (tenant) => aBilledRun(tenant))
      const now = yield* DateTime.now
      const [longAgo, yesterday] = [DateTime.subtract(now, { days: 3 }), DateTime.subtract(now, { hours: 24 })]
      yield* caughtUp
      yield* call(run, longAgo, "0.10")
      yield* call(run, yesterday, "0.25")
      const ended = yield* EndedRuns
      yield* atomic(ended.end(run, { outcome: "succeeded", finishedAt: longAgo, latencyMillis: 1 }))
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
      assert.deepInclude(open, {
        requests: 1,
        unpricedRequests: 0,
        platformCostUsd: "0.25",
        adjustmentsUsd: "0.00",
        revision: 0
      })

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
      // A transaction that only had the lock leaves it free.
      const holding = yield* Effect.forkChild(atomic(Effect.andThen(store.hold({ quietSeconds: 0 }), Effect.void)))
      yield* Fiber.join(holding)
      assert.strictEqual((yield* rollUpUsage())._tag, "RolledUp")
    })
  )

  it.effect(
    "show a price that is corrected in what the run and the workspace used, and as an adjustment of a final day",
    () =>
      Effect.gen(function* () {
        const run = yield* Effect.flatMap(aTenantIn("UTC"), (tenant) => aBilledRun(tenant))
        const corrections = yield* UsageCorrections
        const longAgo = DateTime.subtract(yield* DateTime.now, { days: 3 })
        yield* caughtUp
        yield* call(run, longAgo, "0.10", "0.10")
        yield* caughtUp
        const span = { start: longAgo, end: DateTime.add(longAgo, { seconds: 1 }) }
        const of = { provider: "openai", model: "gpt-4o-mini", span }
        const calls = yield* corrections.calls(run.workspaceId, of, { after: undefined, limit: 10 })
        const [entry, other] = calls
        if (entry === undefined || other === undefined) return assert.fail("There are two calls")
        assert.deepStrictEqual(yield* corrections.calls(run.workspaceId, of, { after: entry.id, limit: 10 }), [other])
        const correction = (costUsd: string, deltaUsd: string) => ({
          ...entry,
          id: anId(CorrectionId),
          callId: entry.id,
          costUsd,
          deltaUsd,
          wasUnpriced: false,
          priceVersion: "prices@2",
          reason: "The price was wrong",
          createdAt: entry.settledAt
        })
        yield* atomic(
          Effect.andThen(corrections.insert([correction("9.99", "9.89")]), Effect.fail("rolled back"))
        ).pipe(Effect.ignore)
        for (const one of [correction("0.30", "0.20"), correction("0.04", "-0.26")]) {
          yield* atomic(Effect.andThen(corrections.hold(run.workspaceId), corrections.insert([one])))
          yield* caughtUp
        }
        const caller = aCaller(run)
        assert.deepInclude(yield* dayIn(run, longAgo), { platformCostUsd: "0.00", adjustmentsUsd: "0.14", revision: 3 })
        assert.strictEqual((yield* readRunCosts({ caller, runId: run.runId })).totalCostUsd, "0.14")
        const { items } = yield* listRunRequests({ caller, runId: run.runId, page: { limit: 10, before: undefined } })
        assert.sameDeepMembers(
          items.map(({ costUsd, priceVersion }) => [costUsd, priceVersion]),
          [
            ["0.04", "prices@2"],
            ["0.10", "prices@1"]
          ]
        )
      })
  )

  it.effect("keep the zone of a month that something has happened in", () =>
    Effect.gen(function* () {
      const store = yield* RollUpStore
      const run = yield* Effect.flatMap(aTenantIn("Asia/Tokyo"), (tenant) => aBilledRun(tenant))
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
