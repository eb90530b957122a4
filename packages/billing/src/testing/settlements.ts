import { UnitOfWork } from "@agent-platform/kernel"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import type { LedgerEntry } from "../LedgerEntry.ts"
import { type CallEnd, CallLedger } from "../ports/CallLedger.ts"
import type { NewReservation } from "../Reservation.ts"
import { aBilledRun, aCallEnd, aReservation, type BilledRun, CALLED_AT, costing, NOVEMBER } from "./BilledRuns.ts"
import type { LedgerPorts } from "./callLedgerContract.ts"

const admitted = (run: BilledRun, override: Partial<NewReservation> = {}) =>
  Effect.gen(function* () {
    const ledger = yield* CallLedger
    const call = aReservation({ ...run, ...override })
    assert.strictEqual((yield* ledger.reserve(call))._tag, "Reserved")
    return call
  })

const settle = ({ id, workspaceId }: NewReservation, end: Partial<CallEnd> = {}) =>
  Effect.gen(function* () {
    const ledger = yield* CallLedger
    const unit = yield* UnitOfWork
    return yield* unit.atomic(ledger.settle(workspaceId, id, aCallEnd(end)))
  })

const spends = ({ runId, workspaceId }: BilledRun) =>
  Effect.gen(function* () {
    const ledger = yield* CallLedger
    const month = yield* ledger.month(workspaceId, NOVEMBER.start)
    return {
      month: [month?.spentUsd, month?.reservedUsd],
      run: Object.values(yield* ledger.run(workspaceId, runId))
    }
  })

/** Cases about the settlement of admitted calls. */
export const settlementCases = (it: Vitest.MethodsNonLive<LedgerPorts>) => {
  it.effect("counts a reported call once, whatever its caps leave and however often it is reported", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const run = yield* aBilledRun()
      const caps = { workspaceCapUsd: "0.05", runCapUsd: "0.05" }
      const paid = { keySource: "byok", keyId: null } as const
      const call = aReservation({ ...run, ...caps, ...paid })
      assert.strictEqual((yield* ledger.reserve({ ...call, reported: "within_caps" }))._tag, "Refused")
      const reported = { ...call, reported: "whatever_caps" } as const
      const granted = { _tag: "Reserved", outputTokensMax: 500, amountUsd: "0.10" } as const
      assert.deepStrictEqual(yield* ledger.reserve(reported), granted)
      assert.deepStrictEqual(yield* ledger.reserve(reported), granted)
      yield* settle(reported, { costUsd: "0.08" })
      assert.deepStrictEqual(yield* spends(run), { month: ["0.08", "0.00"], run: ["0.08", "0.00"] })
      for (const again of ["within_caps", "whatever_caps"] as const) {
        assert.strictEqual((yield* ledger.reserve({ ...call, reported: again }))._tag, "Reserved")
      }
      assert.deepInclude(yield* settle(reported, { costUsd: "0.08" }), { _tag: "AlreadySettled" })
      assert.deepStrictEqual(yield* spends(run), { month: ["0.08", "0.00"], run: ["0.08", "0.00"] })
      assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), paid)
      assert.deepInclude(yield* ledger.month(call.workspaceId, NOVEMBER.start), { capUsd: "0.05" })
    })
  )

  it.effect("writes the row of a call from how it was admitted and how it ended", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const run = yield* aBilledRun()
      const { metadata: _metadata, tags: _tags, ...known } = run
      const keyId = (yield* aBilledRun()).runId
      yield* admitted(run)
      const call = yield* admitted(run, { keySource: "byok", keyId, attempt: 2 })
      const end = aCallEnd()
      assert.isUndefined(yield* ledger.find(call.workspaceId, call.id))
      yield* settle(call)
      const entry: LedgerEntry = {
        id: call.id,
        ...known,
        seq: 2,
        attempt: 2,
        provider: "openai",
        requestModel: "gpt-4o-mini",
        keySource: "byok",
        keyId,
        calledAt: CALLED_AT,
        reservedUsd: "0.10",
        ...end
      }
      assert.deepStrictEqual(yield* ledger.find(call.workspaceId, call.id), entry)
    })
  )

  it.effect("gives back what was held and counts what it cost", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const call = yield* admitted(run, { workspaceCapUsd: "1.00" })
      yield* admitted(run)
      const settled = yield* settle(call, { costUsd: "0.000000000007" })
      assert.strictEqual(settled._tag, "Settled")
      if (settled._tag !== "Settled") return
      assert.deepInclude(settled.month, { spentUsd: "0.000000000007", reservedUsd: "0.10", period: NOVEMBER })
      assert.deepStrictEqual([settled.calledAt, settled.reservedUsd], [CALLED_AT, "0.10"])
      assert.deepStrictEqual(yield* spends(run), {
        month: ["0.000000000007", "0.10"],
        run: ["0.000000000007", "0.10"]
      })
    })
  )

  it.effect("counts a call once, however often it is settled", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const run = yield* aBilledRun()
      const call = yield* admitted(run)
      yield* settle(call)
      assert.deepStrictEqual(yield* settle(call, { costUsd: "0.09", status: "error" }), {
        _tag: "AlreadySettled",
        costUsd: "0.04"
      })
      assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), { costUsd: "0.04", status: "ok" })
      assert.deepStrictEqual(yield* spends(run), { month: ["0.04", "0.00"], run: ["0.04", "0.00"] })
    })
  )

  it.effect("counts a call once when twelve settle it at the same moment", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const call = yield* admitted(run)
      const answers = yield* Effect.forEach(Array.from({ length: 12 }), () => settle(call), {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Settled").length, 1)
      assert.deepStrictEqual(yield* spends(run), { month: ["0.04", "0.00"], run: ["0.04", "0.00"] })
    })
  )

  it.effect("adds up the calls that are settled at the same moment", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const calls = yield* Effect.forEach(Array.from({ length: 20 }), () => admitted(run))
      yield* Effect.forEach(calls, (call) => settle(call), { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* spends(run), { month: ["0.80", "0.00"], run: ["0.80", "0.00"] })
    })
  )

  it.effect("keeps nothing of a settlement whose transaction fails", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const unit = yield* UnitOfWork
      const run = yield* aBilledRun()
      const call = yield* admitted(run)
      yield* Effect.exit(
        unit.atomic(Effect.andThen(ledger.settle(call.workspaceId, call.id, aCallEnd()), Effect.fail("no")))
      )
      assert.isUndefined(yield* ledger.find(call.workspaceId, call.id))
      assert.deepStrictEqual(yield* spends(run), { month: ["0.00", "0.10"], run: ["0.00", "0.10"] })
      assert.strictEqual((yield* settle(call))._tag, "Settled")
    })
  )

  it.effect("writes nothing for a call that was never admitted, or was in another workspace", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const [run, foreign] = [yield* aBilledRun(), yield* aBilledRun()]
      const call = yield* admitted(run)
      assert.deepStrictEqual(yield* settle(aReservation(run)), { _tag: "NeverReserved" })
      assert.deepStrictEqual(yield* settle({ ...call, ...foreign }), { _tag: "NeverReserved" })
      yield* settle(call)
      assert.isUndefined(yield* ledger.find(foreign.workspaceId, call.id))
    })
  )

  it.effect("counts what a call costs beyond what was held for it, and beyond the cap", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const caps = { workspaceCapUsd: "0.10", runCapUsd: "0.10" }
      const call = yield* admitted(run, caps)
      yield* settle(call, { costUsd: "0.25" })
      assert.deepStrictEqual(yield* spends(run), { month: ["0.25", "0.00"], run: ["0.25", "0.00"] })
      const refused = yield* CallLedger.use((ledger) => ledger.reserve(aReservation({ ...run, ...caps })))
      assert.deepInclude(refused, { _tag: "Refused", by: "workspace", isWaiting: false })
    })
  )

  it.effect("keeps a call without a price with no cost, which is not the same as nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const run = yield* aBilledRun()
      const call = yield* admitted(run, { ...costing(null), priceVersion: null })
      yield* settle(call, { costUsd: null, priceVersion: null })
      assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), { costUsd: null, reservedUsd: null })
      assert.deepStrictEqual(yield* spends(run), { month: ["0.00", "0.00"], run: ["0.00", "0.00"] })
    })
  )

  it.effect("answers a settlement that a refused call waits", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const caps = { workspaceCapUsd: "0.20" }
      const [one, two] = [yield* admitted(run, caps), yield* admitted(run, caps)]
      const before = yield* settle(one, { costUsd: "0.10" })
      assert.deepInclude(before, { _tag: "Settled", isAwaited: false })
      const refused = yield* CallLedger.use((ledger) => ledger.reserve(aReservation({ ...run, ...caps })))
      assert.deepInclude(refused, { _tag: "Refused", isWaiting: true })
      assert.deepInclude(yield* settle(two), { _tag: "Settled", isAwaited: true })
    })
  )

  it.effect("finds calls that nobody has settled in time, and no others", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const run = yield* aBilledRun()
      const late = yield* admitted(run, { holdSeconds: 0 })
      const settled = yield* admitted(run, { holdSeconds: 0 })
      const early = yield* admitted(run)
      yield* settle(settled)
      const expired = (yield* ledger.expired({ max: 1000 })).filter(({ runId }) => runId === run.runId)
      const { holdSeconds, outputTokensMin, period, rates, runCapUsd, workspaceCapUsd, ...facts } = late
      assert.deepStrictEqual(expired, [{ ...facts, amountUsd: "0.10", seq: 1, periodStart: NOVEMBER.start }])
      yield* settle(late)
      const left = (yield* ledger.expired({ max: 1000 })).map(({ id }) => id)
      assert.notInclude(left, late.id)
      assert.notInclude(left, early.id)
    })
  )
}
