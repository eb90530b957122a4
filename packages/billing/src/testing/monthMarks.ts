import { UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { CallId } from "../LedgerEntry.ts"
import { CallLedger, type MonthMark } from "../ports/CallLedger.ts"
import { aBilledRun, aReservation, type BilledRun, CALLED_AT, NOVEMBER } from "./BilledRuns.ts"
import type { LedgerPorts } from "./callLedgerContract.ts"

const mark = ({ organizationId, workspaceId }: BilledRun, override: Partial<MonthMark> = {}) =>
  Effect.gen(function* () {
    const ledger = yield* CallLedger
    const unit = yield* UnitOfWork
    return yield* unit.atomic(
      ledger.mark({
        kind: "reached",
        organizationId,
        workspaceId,
        period: NOVEMBER,
        capUsd: "1.00",
        callId: anId(CallId),
        at: CALLED_AT,
        ...override
      })
    )
  })

/** Cases about the marks of a month, one for each notice that was sent. */
export const monthMarkCases = (it: Vitest.MethodsNonLive<LedgerPorts>) => {
  it.effect("is the first to mark a month once, also before any call was admitted in it", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const first = yield* mark(run)
      assert.deepInclude(first, { spentUsd: "0.00", reachedAt: CALLED_AT, reachedCapUsd: "1.00", nearAt: null })
      assert.isUndefined(yield* mark(run))
      assert.deepInclude(yield* mark(run, { kind: "near" }), { nearAt: CALLED_AT })
      assert.isUndefined(yield* mark(run, { kind: "near" }))
    })
  )

  it.effect("lets one of twelve who mark a month at the same moment be the first", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      yield* CallLedger.use((ledger) => ledger.reserve(aReservation(run)))
      const answers = yield* Effect.forEach(Array.from({ length: 12 }), () => mark(run), { concurrency: "unbounded" })
      assert.strictEqual(answers.filter((month) => month !== undefined).length, 1)
    })
  )

  it.effect("remembers the highest cap that was reached", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      yield* mark(run, { capUsd: "2.00" })
      yield* mark(run, { capUsd: "5.00" })
      yield* mark(run, { capUsd: "3.00" })
      const month = yield* CallLedger.use((ledger) => ledger.month(run.workspaceId, NOVEMBER.start))
      assert.deepInclude(month, { reachedCapUsd: "5.00", reachedAt: CALLED_AT })
    })
  )

  it.effect("marks each month for itself", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      yield* mark(run)
      assert.isDefined(yield* mark(run, { period: { start: NOVEMBER.end, end: NOVEMBER.end } }))
    })
  )

  it.effect("prepares months as often as it is asked to", () =>
    Effect.gen(function* () {
      const ledger = yield* CallLedger
      const unit = yield* UnitOfWork
      yield* unit.atomic(ledger.prepareMonths(NOVEMBER.start, NOVEMBER.end))
      yield* unit.atomic(ledger.prepareMonths(NOVEMBER.start, NOVEMBER.end))
      const run = yield* aBilledRun()
      assert.strictEqual((yield* ledger.reserve(aReservation(run)))._tag, "Reserved")
    })
  )
}
