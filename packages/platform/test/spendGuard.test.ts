/** Billing in front of the model calls of runs. */
import { CallId, CallLedger, flatRate, PriceBook } from "@agent-platform/billing"
import { layer as billingStores } from "@agent-platform/billing/memory"
import { UnitOfWork, Uuid } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { TenancyStore } from "@agent-platform/keys"
import { layer as keysStores } from "@agent-platform/keys/memory"
import { layerBilling, layerSpendGuard } from "@agent-platform/platform"
import { type ModelCall, SpendGuard } from "@agent-platform/runs"
import { layer as runsStores } from "@agent-platform/runs/memory"
import { addRuns, anAgent, aRun, aSession } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"

const rate = flatRate("1.00")
const book = Layer.succeed(PriceBook, {
  find: () =>
    Effect.succeed({
      version: "prices@1",
      input: rate,
      cacheRead: undefined,
      cacheWrite: undefined,
      output: rate,
      reasoning: undefined,
      requestUsd: "0.00"
    })
})

/** The guard over a ledger that admits calls. Its answer does not arrive. */
const memoryWith = (admitted: Deferred.Deferred<void>) => {
  const ledger = Layer.effect(
    CallLedger,
    CallLedger.use((store) =>
      Effect.succeed({
        ...store,
        reserve: (call: Parameters<typeof store.reserve>[0]) =>
          store.reserve(call).pipe(Effect.andThen(Deferred.succeed(admitted, undefined)), Effect.andThen(Effect.never))
      })
    )
  ).pipe(Layer.provideMerge(billingStores))
  return layerSpendGuard.pipe(
    Layer.provide(layerBilling),
    Layer.provideMerge(Layer.mergeAll(ledger, book, keysStores, runsStores)),
    Layer.provideMerge(kernel),
    Layer.fresh
  )
}

describe("the guard before model calls", () => {
  it.effect("gives back what was held for a call that was given up while it was being admitted", () =>
    Effect.gen(function* () {
      const admitted = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const unit = yield* UnitOfWork
        const caller = aCaller()
        const createdAt = yield* DateTime.now
        const run = aRun(anAgent(caller), aSession(anAgent(caller)))
        yield* unit.atomic(
          Effect.gen(function* () {
            const tenancy = yield* TenancyStore
            yield* tenancy.insertWorkspace({
              id: caller.workspaceId,
              organizationId: caller.organizationId,
              name: "Main",
              timezone: "UTC",
              nextTimezone: null,
              monthlyCapUsd: "1.00",
              allowPlatformKeys: false,
              createdAt
            })
            yield* addRuns(run)
          })
        )
        const call: ModelCall = {
          id: anId(Uuid),
          run,
          provider: "openai",
          requestModel: "gpt-4o",
          payer: { source: "platform" },
          inputTokensMax: 1_000,
          outputTokensMax: 100,
          outputTokensMin: 100
        }
        const guard = yield* SpendGuard
        const reserving = yield* Effect.forkChild(guard.reserve(call))
        yield* Deferred.await(admitted)
        yield* Fiber.interrupt(reserving)
        const ledger = yield* CallLedger
        const entry = yield* ledger.find(caller.workspaceId, CallId.make(call.id))
        assert.deepInclude(entry, { status: "aborted", costUsd: "0.00", inputTokens: 0 })
        assert.deepStrictEqual(yield* ledger.run(caller.workspaceId, run.id), { spentUsd: "0.00", reservedUsd: "0.00" })
      }).pipe(Effect.provide(memoryWith(admitted)))
    })
  )
})
