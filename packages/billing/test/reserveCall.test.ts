import { Billing, CallLedger, PriceOverrideStore } from "@agent-platform/billing"
import { aPriceOverride } from "@agent-platform/billing/testing"
import { type EventRecord, type NotificationRecord, UnitOfWork } from "@agent-platform/kernel"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { aCall, anEnd, Deployment, memory, rowsOf } from "./callSupport.ts"

const reported = Effect.gen(function* () {
  const events = yield* rowsOf<EventRecord>("event")
  const notices = yield* rowsOf<NotificationRecord>("notification")
  return { events, notices }
})

describe("admitting a call", () => {
  it.effect("holds back the most that it can cost, by the price that it is admitted with", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const ledger = yield* CallLedger
      const call = aCall()
      const admission = yield* billing.reserveCall(call)
      assert.deepInclude(admission, { amountUsd: "0.10", priceVersion: "prices@1" })
      assert.deepInclude(yield* ledger.run(call.workspaceId, call.runId), { reservedUsd: "0.10" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("takes the workspace's own price before everybody's, and both before the catalogue's", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const store = yield* PriceOverrideStore
      const unit = yield* UnitOfWork
      const call = aCall()
      const insert = (override: Parameters<typeof aPriceOverride>[0]) =>
        unit.atomic(
          store.insert(
            aPriceOverride({
              provider: call.provider,
              model: call.requestModel,
              effectiveFrom: DateTime.makeUnsafe(0),
              outputUsd: "0.00",
              ...override
            })
          )
        )
      yield* insert({ inputUsd: "2.00" })
      assert.strictEqual((yield* billing.reserveCall(call)).amountUsd, "0.16")
      yield* insert({ inputUsd: "3.00", scope: call })
      yield* insert({ inputUsd: "4.00", scope: call, effectiveFrom: DateTime.makeUnsafe("2030-01-01T00:00:00Z") })
      yield* insert({ inputUsd: "5.00", scope: aCall() })
      assert.strictEqual((yield* billing.reserveCall({ ...call, id: aCall().id })).amountUsd, "0.24")
    }).pipe(Effect.provide(memory))
  )

  it.effect("admits a model without a price where no cap is kept, and refuses it where one is", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      const call = aCall({ requestModel: "unknown" })
      assert.deepInclude(yield* billing.reserveCall(call), { amountUsd: null, priceVersion: null })
      const ofRun = yield* Effect.flip(billing.reserveCall(aCall({ ...call, id: aCall().id, runCapUsd: "1.00" })))
      assert.strictEqual(ofRun._tag, "ModelUnpriced")
      deployment.cap = "1.00"
      const ofWorkspace = yield* Effect.flip(billing.reserveCall(aCall({ ...call, id: aCall().id })))
      assert.deepInclude(ofWorkspace, { _tag: "ModelUnpriced", provider: "openai", model: "unknown" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("waits for a call under way that may still free enough, and goes on as soon as it does", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.15"
      const first = aCall()
      yield* billing.reserveCall(first)
      const second = yield* Effect.forkChild(billing.reserveCall({ ...first, id: aCall().id }))
      yield* TestClock.adjust("900 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* billing.settleCall(anEnd(first))
      assert.deepInclude(yield* Fiber.join(second), { amountUsd: "0.10" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused after five seconds without enough freed, at once where nothing can be freed", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.15"
      const call = aCall()
      const alone = yield* Effect.flip(billing.reserveCall({ ...call, inputTokensMax: 200_000 }))
      assert.deepInclude(alone, {
        _tag: "CallExceedsCap",
        cap: "workspace",
        capUsd: "0.15",
        wantedUsd: "0.22",
        leftUsd: "0.15",
        heldUsd: "0.00"
      })
      assert.strictEqual(
        alone.message,
        "The call can cost 0.22 USD and the workspace has 0.15 of 0.15 left, with 0.00 held back for calls under way"
      )
      yield* billing.reserveCall(call)
      const waiting = yield* Effect.forkChild(Effect.flip(billing.reserveCall({ ...call, id: aCall().id })))
      yield* TestClock.adjust("4900 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "CallExceedsCap", leftUsd: "0.05", heldUsd: "0.10" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is made with as many output tokens as the cap leaves, and refused alone below those that are of use", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.15"
      const call = { ...aCall(), outputTokensMin: 256 }
      assert.deepInclude(yield* billing.reserveCall(call), { amountUsd: "0.10", outputTokensMax: 10_000 })
      const next = { ...call, id: aCall().id, inputTokensMax: 30_000 }
      assert.deepInclude(yield* billing.reserveCall(next), { amountUsd: "0.05", outputTokensMax: 10_000 })
      yield* billing.settleCall(anEnd(call))
      yield* billing.settleCall(anEnd(next))
      const rest = { ...call, id: aCall().id, inputTokensMax: 60_000 }
      assert.deepInclude(yield* billing.reserveCall(rest), { amountUsd: "0.07", outputTokensMax: 5_000 })
      yield* billing.settleCall(anEnd(rest, { usage: undefined, sent: false }))
      const none = yield* Effect.flip(billing.reserveCall({ ...call, id: aCall().id, inputTokensMax: 69_489 }))
      assert.deepInclude(none, { _tag: "CallExceedsCap", wantedUsd: "0.070001", leftUsd: "0.07", heldUsd: "0.00" })
      assert.isTrue(yield* billing.mayBeginRuns(call.organizationId, call.workspaceId))
      assert.deepStrictEqual(
        (yield* reported).events.map(({ type }) => type),
        []
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("waits for what answers like it usually need, and is made with less once that was in vain", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.15"
      const first = aCall()
      yield* billing.reserveCall(first)
      const second = {
        ...first,
        id: aCall().id,
        inputTokensMax: 40_000,
        outputTokensMin: 256,
        outputTokensUsual: 6_000
      }
      const waiting = yield* Effect.forkChild(billing.reserveCall(second))
      yield* TestClock.adjust("4900 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.deepInclude(yield* Fiber.join(waiting), { amountUsd: "0.05", outputTokensMax: 5_000 })
      yield* billing.settleCall(anEnd(second))
      const third = yield* billing.reserveCall({
        ...second,
        id: aCall().id,
        inputTokensMax: 0,
        outputTokensUsual: 5_000
      })
      assert.deepInclude(third, { amountUsd: "0.01", outputTokensMax: 5_000 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("reports the workspace's cap the first time that a call is refused for it, by event and notice", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.10"
      const call = aCall()
      yield* billing.reserveCall(call)
      const usage = {
        inputTokens: 79_000,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 8_000,
        reasoningTokens: 0
      }
      yield* billing.settleCall(anEnd(call, { usage }))
      assert.isTrue(yield* billing.mayBeginRuns(call.organizationId, call.workspaceId))
      yield* Effect.flip(billing.reserveCall({ ...call, id: aCall().id }))
      yield* Effect.flip(billing.reserveCall({ ...call, id: aCall().id }))
      assert.isFalse(yield* billing.mayBeginRuns(call.organizationId, call.workspaceId))
      const { events: all, notices } = yield* reported
      const events = all.filter(({ type }) => type === "workspace.cap_reached")
      assert.strictEqual(events.length, 1)
      assert.deepStrictEqual(
        [events[0]!.type, { ...JSON.parse(events[0]!.data), reached_at: "" }],
        [
          "workspace.cap_reached",
          {
            workspace_id: call.workspaceId,
            period: "2026-11",
            period_start: "2026-11-01T00:00:00.000Z",
            period_end: "2026-12-01T00:00:00.000Z",
            cap_usd: "0.10",
            spent_usd: "0.095",
            reserved_usd: "0.00",
            currency: "USD",
            run_id: call.runId,
            reached_at: ""
          }
        ]
      )
      assert.deepStrictEqual(
        notices.map(({ type, workspaceId }) => [type, workspaceId]),
        [
          ["workspace.cap_near", call.workspaceId],
          ["workspace.cap_reached", call.workspaceId]
        ]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("reports a run's own cap to nobody", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const refused = yield* Effect.flip(billing.reserveCall(aCall({ runCapUsd: "0.05" })))
      assert.deepInclude(refused, { _tag: "CallExceedsCap", cap: "run", capUsd: "0.05" })
      const spent = aCall({ runCapUsd: "0.10" })
      yield* billing.reserveCall(spent)
      const usage = {
        inputTokens: 80_000,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 8_000,
        reasoningTokens: 0
      }
      yield* billing.settleCall(anEnd(spent, { usage }))
      const reached = yield* Effect.flip(billing.reserveCall({ ...spent, id: aCall().id }))
      assert.deepInclude(reached, { _tag: "CapReached", cap: "run", capUsd: "0.10", spentUsd: "0.096" })
      assert.deepStrictEqual(yield* reported, { events: [], notices: [] })
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets no more runs begin from then on, until the cap is raised or the month is over", () =>
    Effect.gen(function* () {
      const billing = yield* Billing
      const deployment = yield* Deployment
      deployment.cap = "0.10"
      const call = aCall()
      const mayBegin = billing.mayBeginRuns(call.organizationId, call.workspaceId)
      assert.isTrue(yield* mayBegin)
      yield* billing.reserveCall(call)
      const usage = {
        inputTokens: 80_000,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 8_000,
        reasoningTokens: 0
      }
      yield* billing.settleCall(anEnd(call, { usage }))
      yield* Effect.flip(billing.reserveCall({ ...call, id: aCall().id }))
      assert.isFalse(yield* mayBegin)
      deployment.cap = "0.11"
      assert.isTrue(yield* mayBegin)
      deployment.cap = "0.09"
      assert.isFalse(yield* mayBegin)
      deployment.cap = null
      assert.isTrue(yield* mayBegin)
      deployment.cap = "0.10"
      const { end } = deployment.period
      deployment.period = { start: end, end: DateTime.add(end, { months: 1 }) }
      assert.isTrue(yield* mayBegin)
      deployment.cap = "0.00"
      assert.isFalse(yield* mayBegin)
    }).pipe(Effect.provide(memory))
  )
})
