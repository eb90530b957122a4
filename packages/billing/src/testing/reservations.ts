import { aTenant } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { CallLedger } from "../ports/CallLedger.ts"
import type { NewReservation } from "../Reservation.ts"
import { aBilledRun, aReservation, type BilledRun, costing, NOVEMBER } from "./BilledRuns.ts"
import type { LedgerPorts } from "./callLedgerContract.ts"

const reserve = (run: BilledRun, call: Partial<NewReservation> = {}) =>
  CallLedger.use((ledger) => ledger.reserve(aReservation({ ...run, ...call })))

const monthOf = ({ workspaceId }: BilledRun) => CallLedger.use((ledger) => ledger.month(workspaceId, NOVEMBER.start))

const runOf = ({ runId, workspaceId }: BilledRun) => CallLedger.use((ledger) => ledger.run(workspaceId, runId))

const admitted = (answers: ReadonlyArray<{ readonly _tag: string }>) =>
  answers.filter(({ _tag }) => _tag === "Reserved").length

/** Cases about admitted and refused calls, and their reservations. */
export const reservationCases = (it: Vitest.MethodsNonLive<LedgerPorts>) => {
  it.effect("holds back what an admitted call can cost, in its month and in its run", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      assert.isUndefined(yield* monthOf(run))
      const granted = { _tag: "Reserved", outputTokensMax: 500 } as const
      assert.deepStrictEqual(yield* reserve(run), { ...granted, amountUsd: "0.10" })
      assert.deepStrictEqual(yield* reserve(run, { ...costing("0.000000000001"), workspaceCapUsd: "1.00" }), {
        ...granted,
        amountUsd: "0.000000000001"
      })
      const month = yield* monthOf(run)
      assert.deepStrictEqual(month, {
        period: NOVEMBER,
        capUsd: "1.00",
        spentUsd: "0.00",
        reservedUsd: "0.100000000001",
        nearAt: null,
        reachedAt: null,
        reachedCapUsd: null
      })
      assert.deepStrictEqual(yield* runOf(run), { spentUsd: "0.00", reservedUsd: "0.100000000001" })
    })
  )

  it.effect("admits a call that fills the cap to the last decimal, and none beyond it", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const caps = { workspaceCapUsd: "0.30" }
      for (let call = 0; call < 3; call += 1) assert.strictEqual((yield* reserve(run, caps))._tag, "Reserved")
      assert.deepStrictEqual(yield* reserve(run, { ...caps, ...costing("0.000000000001") }), {
        _tag: "Refused",
        by: "workspace",
        spend: { spentUsd: "0.00", reservedUsd: "0.30" },
        isWaiting: true
      })
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.30" })
    })
  )

  it.effect("refuses the first call of a month that alone is above the cap, and holds nothing", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      assert.deepStrictEqual(yield* reserve(run, { workspaceCapUsd: "0.09" }), {
        _tag: "Refused",
        by: "workspace",
        spend: { spentUsd: "0.00", reservedUsd: "0.00" },
        isWaiting: false
      })
      assert.deepStrictEqual(yield* runOf(run), { spentUsd: "0.00", reservedUsd: "0.00" })
    })
  )

  it.effect("holds nothing in the month for a call that the run's own cap refuses", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      yield* reserve(run, { ...costing("0.15") })
      assert.deepStrictEqual(yield* reserve(run, { runCapUsd: "0.20", workspaceCapUsd: "5.00" }), {
        _tag: "Refused",
        by: "run",
        spend: { spentUsd: "0.00", reservedUsd: "0.15" },
        isWaiting: true
      })
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.15" })
    })
  )

  it.effect("admits a call with as many output tokens as its caps leave, and holds back for just these", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const rates = { baseUsd: "0.0001000000004", outputTokenUsd: "0.0003000000001" }
      const call = { rates, outputTokensMax: 500, outputTokensMin: 100, workspaceCapUsd: "0.20" }
      const first = { _tag: "Reserved", outputTokensMax: 500, amountUsd: "0.150100000051" } as const
      assert.deepStrictEqual(yield* reserve(run, call), first)
      const second = { _tag: "Reserved", outputTokensMax: 165, amountUsd: "0.049600000017" } as const
      const ask = aReservation({ ...run, ...call })
      assert.deepStrictEqual(yield* CallLedger.use((ledger) => ledger.reserve(ask)), second)
      assert.deepStrictEqual(yield* CallLedger.use((ledger) => ledger.reserve(ask)), second, "asked again")
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.199700000068" })
      assert.deepStrictEqual(yield* reserve(run, call), {
        _tag: "Refused",
        by: "workspace",
        spend: { spentUsd: "0.00", reservedUsd: "0.199700000068" },
        isWaiting: true
      })
      assert.deepInclude(yield* reserve(run, { ...call, outputTokensMin: 0 }), { _tag: "Reserved", outputTokensMax: 0 })
    })
  )

  it.effect("admits no more than the tighter of two caps leaves, and exactly what fills it", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const call = { rates: { baseUsd: "0.01", outputTokenUsd: "0.001" }, outputTokensMax: 500, outputTokensMin: 10 }
      const granted = yield* reserve(run, { ...call, runCapUsd: "0.11", workspaceCapUsd: "0.30" })
      assert.deepStrictEqual(granted, { _tag: "Reserved", outputTokensMax: 100, amountUsd: "0.11" })
      const rest = yield* reserve(run, { ...call, workspaceCapUsd: "0.13" })
      assert.deepStrictEqual(rest, { _tag: "Reserved", outputTokensMax: 10, amountUsd: "0.02" })
    })
  )

  it.effect("counts a run's cap for that run alone", () =>
    Effect.gen(function* () {
      const one = yield* aBilledRun()
      const other = yield* aBilledRun(one)
      assert.strictEqual((yield* reserve(one, { runCapUsd: "0.10" }))._tag, "Reserved")
      assert.strictEqual((yield* reserve(other, { runCapUsd: "0.10" }))._tag, "Reserved")
      assert.strictEqual((yield* reserve(one, { runCapUsd: "0.10" }))._tag, "Refused")
    })
  )

  it.effect("of forty calls of forty runs at once admits the ten that fit under the workspace's cap", () =>
    Effect.gen(function* () {
      const first = yield* aBilledRun()
      const runs = yield* Effect.forEach(Array.from({ length: 40 }), () => aBilledRun(first))
      const answers = yield* Effect.forEach(runs, (run) => reserve(run, { workspaceCapUsd: "1.00" }), {
        concurrency: "unbounded"
      })
      assert.strictEqual(admitted(answers), 10)
      assert.deepInclude(yield* monthOf(first), { reservedUsd: "1.00" })
      const held = yield* Effect.forEach(runs, runOf)
      assert.strictEqual(held.filter(({ reservedUsd }) => reservedUsd === "0.10").length, 10)
    })
  )

  it.effect("of twenty calls at once that are the first of their run admits the five that fit under its cap", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => reserve(run, { runCapUsd: "0.50", workspaceCapUsd: "100.00" }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(admitted(answers), 5)
      assert.deepStrictEqual(yield* runOf(run), { spentUsd: "0.00", reservedUsd: "0.50" })
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.50" })
    })
  )

  it.effect("holds back once for a call that asks again", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const call = aReservation({ ...run, workspaceCapUsd: "0.15" })
      const ask = CallLedger.use((ledger) => ledger.reserve(call))
      assert.strictEqual((yield* ask)._tag, "Reserved")
      assert.strictEqual((yield* ask)._tag, "Reserved")
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.10" })
    })
  )

  it.effect("holds back nothing for a call without a price, which fits under any cap", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      assert.strictEqual((yield* reserve(run, { ...costing(null), priceVersion: null }))._tag, "Reserved")
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.00" })
    })
  )

  it.effect("keeps months apart, and the spending of one workspace from another of the same organization", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const foreign = yield* aBilledRun(yield* aTenant({ organizationId: run.organizationId }))
      const december = { start: NOVEMBER.end, end: NOVEMBER.end }
      const cap = { workspaceCapUsd: "0.10" }
      assert.strictEqual((yield* reserve(run, cap))._tag, "Reserved")
      assert.strictEqual((yield* reserve(foreign, cap))._tag, "Reserved")
      assert.strictEqual((yield* reserve(run, { ...cap, period: december }))._tag, "Reserved")
      assert.strictEqual((yield* reserve(run, cap))._tag, "Refused")
      assert.deepInclude(yield* monthOf(run), { reservedUsd: "0.10" })
    })
  )
}
