import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { anId, aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { type PriceOverride, PriceOverrideId } from "../PriceOverride.ts"
import { PriceOverrideStore } from "../ports/PriceOverrideStore.ts"
import { CALLED_AT } from "./BilledRuns.ts"

/** A price for all tenants, by default of a model without other prices. */
export const aPriceOverride = (override: Partial<PriceOverride> = {}): PriceOverride => ({
  id: anId(PriceOverrideId),
  scope: null,
  provider: "acme",
  model: SecureRandom.uuidV7Unsafe(),
  inputUsd: "1.50",
  cacheReadUsd: null,
  cacheWriteUsd: null,
  outputUsd: "6.00",
  effectiveFrom: CALLED_AT,
  createdAt: CALLED_AT,
  ...override
})

const insert = (override: PriceOverride) =>
  Effect.gen(function* () {
    const store = yield* PriceOverrideStore
    yield* atomic(store.insert(override))
    return override
  })

const found = ({ workspaceId }: Tenant, { model, provider }: PriceOverride) =>
  PriceOverrideStore.use((store) => store.findFor(workspaceId, provider, model))

/** The contract of every store of prices. */
export const priceOverrideStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<PriceOverrideStore | UnitOfWork | Tenants, E>
) =>
  describe(`price override store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("finds the prices of a model: the workspace's own and everybody's, and no other workspace's", () =>
        Effect.gen(function* () {
          const [mine, foreign] = [yield* aTenant(), yield* aTenant()]
          const everybodys = yield* insert(aPriceOverride({ cacheReadUsd: "0.15", cacheWriteUsd: "1.875" }))
          const { model } = everybodys
          const own = yield* insert(aPriceOverride({ model, scope: mine, inputUsd: "0.000000000001" }))
          yield* insert(aPriceOverride({ model, scope: foreign }))
          yield* insert(aPriceOverride({ model, provider: "other" }))
          yield* insert(aPriceOverride())
          assert.sameDeepMembers([...(yield* found(mine, everybodys))], [everybodys, own])
        })
      )

      it.effect("removes a price once, and finds it no more", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const store = yield* PriceOverrideStore
          const override = yield* insert(aPriceOverride({ scope: tenant }))
          const remove = atomic(store.remove(override.id, CALLED_AT))
          assert.deepStrictEqual(yield* remove, override)
          assert.isUndefined(yield* remove)
          assert.deepStrictEqual(yield* found(tenant, override), [])
          assert.deepStrictEqual(yield* store.list(tenant.workspaceId), [])
        })
      )

      it.effect("lists the prices of one owner by provider, model and beginning", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const store = yield* PriceOverrideStore
          const price = (provider: string, model: string, days: number) =>
            aPriceOverride({ provider, model, scope: tenant, effectiveFrom: DateTime.add(CALLED_AT, { days }) })
          const inOrder = [price("a", "m", 1), price("a", "m", 2), price("a", "n", 0), price("b", "a", 0)]
          for (const one of [...inOrder].reverse()) yield* insert(one)
          yield* insert(aPriceOverride({ scope: yield* aTenant() }))
          const everybodys = yield* insert(aPriceOverride())
          assert.deepStrictEqual([...(yield* store.list(tenant.workspaceId))], inOrder)
          assert.deepInclude([...(yield* store.list(null))], everybodys)
        })
      )

      it.effect("keeps nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const tenant = yield* aTenant()
          const store = yield* PriceOverrideStore
          const override = aPriceOverride({ scope: tenant })
          yield* Effect.exit(atomic(Effect.andThen(store.insert(override), Effect.fail("no"))))
          assert.deepStrictEqual(yield* found(tenant, override), [])
        })
      )
    })
  })
