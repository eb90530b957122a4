import { Billing, CallLedger, RESERVATION_MINUTES } from "@agent-platform/billing"
import type { EventRecord, NotificationRecord } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { aCall, addedToRuns, anEnd, Deployment, memory, rowsOf } from "./callSupport.ts"

const types = Effect.gen(function* () {
  const events = yield* rowsOf<EventRecord>("event")
  const notices = yield* rowsOf<NotificationRecord>("notification")
  return [...events, ...notices].map(({ type }) => type)
})

describe("settling a call", () => {
  it.effect("prices its tokens, each kind once, and adds them to the run", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      const call = aCall()
      const admission = yield* billing.reserveCall(call)
      const end = anEnd(call, { admission })
      assert.deepStrictEqual(yield* billing.settleCall(end), { costUsd: "0.04", isFirst: true })
      const entry = yield* ledger.find(call.workspaceId, call.id)
      assert.deepInclude(entry, { ...end.usage, usageSource: "provider", costUsd: "0.04", priceVersion: "prices@1" })
      assert.deepStrictEqual(yield* addedToRuns, [[call.runId, end.usage!, "0.04"]])
    }).pipe(Effect.provide(memory))
  )

  it.effect("counts a call once, and answers what it was counted as", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const call = aCall()
      yield* billing.reserveCall(call)
      yield* billing.settleCall(anEnd(call))
      const again = yield* billing.settleCall(anEnd(call, { usage: undefined }))
      assert.deepStrictEqual(again, { costUsd: "0.04", isFirst: false })
      assert.strictEqual((yield* addedToRuns).length, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("takes all that was held back for used where the provider did not count", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      const call = aCall()
      yield* billing.reserveCall(call)
      const cut = anEnd(call, { status: "aborted", usage: undefined })
      assert.strictEqual((yield* billing.settleCall(cut)).costUsd, "0.10")
      assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), {
        status: "aborted",
        usageSource: "estimated",
        inputTokens: 80_000,
        outputTokens: 10_000
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect(
    "takes what was seen of a call for used where the provider did not count, and never more than was admitted",
    () =>
      Effect.gen(function* () {
        const billing = yield* Billing
        const ledger = yield* CallLedger
        const deployment = yield* Deployment
        const seen = Effect.fnUntraced(function* (
          inputTokensMax: number | undefined,
          outputTokensMax: number | undefined
        ) {
          const call = { ...aCall(), outputTokensMin: 256 }
          const admission = yield* billing.reserveCall(call)
          const cut = anEnd(call, {
            admission,
            status: "aborted",
            usage: undefined,
            seen: { inputTokensMax, outputTokensMax }
          })
          const { costUsd } = yield* billing.settleCall(cut)
          const { inputTokens, outputTokens, usageSource } = (yield* ledger.find(call.workspaceId, call.id))!
          return [inputTokens, outputTokens, usageSource, costUsd]
        })
        assert.deepStrictEqual(yield* seen(1_000, 110), [1_000, 110, "estimated", "0.00122"])
        assert.deepStrictEqual(yield* seen(undefined, 110), [80_000, 110, "estimated", "0.08022"])
        assert.deepStrictEqual(yield* seen(90_000, 20_000), [80_000, 10_000, "estimated", "0.10"])
        deployment.cap = "0.09"
        assert.deepStrictEqual(yield* seen(undefined, 20_000), [80_000, 5_000, "estimated", "0.09"])
      }).pipe(Effect.provide(memory))
  )

  it.effect("counts a request that was never sent, and no tokens of it", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      const call = aCall()
      yield* billing.reserveCall(call)
      const refused = anEnd(call, { status: "error", errorCode: "connection_refused", usage: undefined, sent: false })
      assert.strictEqual((yield* billing.settleCall(refused)).costUsd, "0.00")
      assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), {
        errorCode: "connection_refused",
        usageSource: "provider",
        inputTokens: 0,
        costUsd: "0.00"
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps a call without a price without a cost", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const call = aCall({ requestModel: "unknown" })
      yield* billing.reserveCall(call)
      assert.strictEqual((yield* billing.settleCall(anEnd(call))).costUsd, null)
      assert.strictEqual((yield* addedToRuns)[0]?.[2], null)
    }).pipe(Effect.provide(memory))
  )

  it.effect("dies for a call that was never admitted, and counts nothing", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      assert.isTrue(Exit.isFailure(yield* Effect.exit(billing.settleCall(anEnd(aCall())))))
      assert.deepStrictEqual(yield* addedToRuns, [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives notice at four fifths of the cap, and reports the cap when all of it is spent, once each", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.15"
      const call = aCall()
      const spend = (outputTokens: number) =>
        Effect.gen(function* () {
          const next = { ...call, id: aCall().id, inputTokensMax: 0, outputTokensMax: outputTokens }
          yield* billing.reserveCall(next)
          const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens, reasoningTokens: 0 }
          yield* billing.settleCall(anEnd(next, { usage }))
        })
      yield* spend(59_999)
      assert.deepStrictEqual(yield* types, [])
      yield* spend(1)
      yield* spend(1)
      assert.deepStrictEqual(yield* types, ["workspace.cap_near", "workspace.cap_near"])
      const [near] = yield* rowsOf<EventRecord>("event")
      assert.deepInclude(JSON.parse(near?.data ?? ""), {
        workspace_id: call.workspaceId,
        run_id: call.runId,
        cap_usd: "0.15",
        spent_usd: "0.12",
        currency: "USD"
      })
      yield* spend(14_999)
      assert.sameMembers(yield* types, [
        "workspace.cap_near",
        "workspace.cap_near",
        "workspace.cap_reached",
        "workspace.cap_reached"
      ])
      deployment.cap = "0.20"
      yield* spend(25_000)
      assert.strictEqual((yield* types).length, 4)
      assert.isFalse(yield* billing.mayBeginRuns(call.organizationId, call.workspaceId))
    }).pipe(Effect.provide(memory))
  )

  it.effect("says nothing of a cap that was raised since the call was admitted", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.10"
      const call = aCall()
      yield* billing.reserveCall(call)
      deployment.cap = "1.00"
      yield* billing.settleCall(anEnd(call, { usage: undefined }))
      assert.deepStrictEqual(yield* types, [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("reports a cap that was set or lowered since the call was admitted, where all of it is spent", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      for (const cap of [null, "1.00"]) {
        deployment.cap = cap
        const call = aCall()
        yield* billing.reserveCall(call)
        deployment.cap = "0.05"
        const before = (yield* types).length
        yield* billing.settleCall(anEnd(call, { usage: undefined }))
        assert.isFalse(yield* billing.mayBeginRuns(call.organizationId, call.workspaceId))
        assert.deepStrictEqual((yield* types).length - before, 2)
      }
    }).pipe(Effect.provide(memory))
  )
})

describe("settling a call of a month that is over", () => {
  it.effect("says nothing of a cap that was set in the month after it", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      yield* TestClock.setTime(DateTime.toEpochMillis(deployment.period.end) - 1)
      const call = aCall()
      yield* billing.reserveCall(call)
      yield* TestClock.adjust("1 minute")
      deployment.cap = "0.05"
      yield* billing.settleCall(anEnd(call, { usage: undefined }))
      assert.deepStrictEqual(yield* types, [])
    }).pipe(Effect.provide(memory))
  )
})

describe("settling a call that is reported strangely", () => {
  it.effect("takes a count that cannot be for none", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      for (const inputTokens of [-1, 0.5, 1e300, Number.NaN, 19_999]) {
        const call = aCall()
        yield* billing.reserveCall(call)
        const usage = { ...anEnd(call).usage!, inputTokens }
        assert.strictEqual((yield* billing.settleCall(anEnd(call, { usage }))).costUsd, "0.10")
        assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), {
          usageSource: "estimated",
          inputTokens: 80_000
        })
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("takes times of a clock that was put back or forth for the nearest that can be kept", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      for (const [reported, kept] of [
        [-5, 0],
        [1e12, 2 ** 31 - 1]
      ] as const) {
        const call = aCall()
        yield* billing.reserveCall(call)
        yield* billing.settleCall(anEnd(call, { durationMillis: reported, timeToFirstTokenMillis: reported }))
        assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), {
          durationMillis: kept,
          timeToFirstTokenMillis: kept
        })
      }
    }).pipe(Effect.provide(memory))
  )
})

describe("calls that nobody settles", () => {
  it.effect("count as all that was held back for them, once their time is over, and their run is charged", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      const call = aCall()
      yield* billing.reserveCall(call)
      yield* billing.reserveCall(aCall({ ...call, id: aCall().id, requestModel: "unknown" }))
      yield* TestClock.adjust(`${RESERVATION_MINUTES} minutes`)
      const young = aCall()
      yield* billing.reserveCall(young)
      assert.strictEqual(yield* billing.expireReservations(), 2)
      assert.strictEqual(yield* billing.expireReservations(), 0)
      assert.deepInclude(yield* ledger.find(call.workspaceId, call.id), {
        status: "aborted",
        errorCode: "worker_lost",
        usageSource: "estimated",
        costUsd: "0.10",
        priceVersion: "prices@1"
      })
      assert.deepStrictEqual(
        (yield* addedToRuns).map(([runId, , costUsd]) => [runId, costUsd]),
        [
          [call.runId, "0.10"],
          [call.runId, null]
        ]
      )
      assert.deepStrictEqual(yield* ledger.run(call.workspaceId, call.runId), { spentUsd: "0.10", reservedUsd: "0.00" })
      assert.isUndefined(yield* ledger.find(young.workspaceId, young.id))
    }).pipe(Effect.provide(memory))
  )
})
