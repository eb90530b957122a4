import { CallLedger, flatRate, PriceBook, rerateUsage, UsageReadings } from "@agent-platform/billing"
import { layer as stores } from "@agent-platform/billing/memory"
import { aBilledRun, aCallEnd, aReservation, BilledRuns } from "@agent-platform/billing/testing"
import { UnitOfWork } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller, Tenants } from "@agent-platform/kernel/testing"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"

const CHANGED = DateTime.makeUnsafe("2026-11-10T00:00:00.000Z")

/** A cent for a thousand tokens either way, and twice that from the tenth of November on. */
const layerBook = Layer.succeed(PriceBook, {
  find: (_, model, at) =>
    Effect.succeed(
      model === "unknown"
        ? undefined
        : {
            version: DateTime.isLessThan(at, CHANGED) ? "book@1" : "book@2",
            input: flatRate(DateTime.isLessThan(at, CHANGED) ? "10.00" : "20.00"),
            cacheRead: undefined,
            cacheWrite: undefined,
            output: flatRate(DateTime.isLessThan(at, CHANGED) ? "10.00" : "20.00"),
            reasoning: undefined,
            requestUsd: "0.00"
          }
    )
})

const memory = Layer.mergeAll(
  Layer.provideMerge(stores, kernel),
  layerBook,
  Tenants.layerUnfounded,
  BilledRuns.layerUnfounded
)

const TOKENS = { inputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1_000, reasoningTokens: 0 }

layer(Layer.fresh(memory))("pricing calls again", (it) => {
  it.effect("corrects what has another price as of its time, once, and leaves alone what nobody knows a price of", () =>
    Effect.gen(function* () {
      const run = yield* aBilledRun()
      const ledger = yield* CallLedger
      const unit = yield* UnitOfWork
      const readings = yield* UsageReadings
      const call = (requestModel: string, day: string, costUsd: string | null) =>
        Effect.gen(function* () {
          const calledAt = DateTime.makeUnsafe(`2026-11-${day}T12:00:00.000Z`)
          const reservation = aReservation({ ...run, requestModel, calledAt })
          yield* ledger.reserve(reservation)
          const end = aCallEnd({ ...TOKENS, costUsd, priceVersion: costUsd === null ? null : "book@1" })
          yield* unit.atomic(ledger.settle(run.workspaceId, reservation.id, end))
        })
      yield* call("known", "05", "0.02")
      yield* call("known", "12", "0.02")
      yield* call("known", "13", null)
      yield* call("known", "20", "0.02")
      yield* call("unknown", "12", null)
      const span = {
        start: DateTime.makeUnsafe("2026-11-01T00:00:00Z"),
        end: DateTime.makeUnsafe("2026-11-15T00:00:00Z")
      }
      const rerate = (model: string) =>
        rerateUsage({ caller: aCaller(run), provider: "openai", model, reason: "A price was late", ...span })

      assert.deepStrictEqual(yield* rerate("known"), { calls: 3, corrected: 2, deltaUsd: "0.06" })
      assert.deepStrictEqual(yield* rerate("known"), { calls: 3, corrected: 0, deltaUsd: "0.00" })
      assert.deepStrictEqual(yield* rerate("unknown"), { calls: 1, corrected: 0, deltaUsd: "0.00" })
      const costs = yield* readings.runCosts(run.workspaceId, run.runId, span)
      assert.deepStrictEqual(
        costs.map(({ costUsd, model, unpricedRequests }) => [model, costUsd, unpricedRequests]),
        [
          ["known", "0.12", 0],
          ["unknown", "0.00", 1]
        ]
      )
    })
  )
})
