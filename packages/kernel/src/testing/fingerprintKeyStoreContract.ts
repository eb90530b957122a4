import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { FingerprintKeyStore } from "../ports/FingerprintKeyStore.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"

/** The promises of every store of the key of fingerprints. The layer must be its own, without a key: there is one. */
export const fingerprintKeyStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | FingerprintKeyStore, E>
) =>
  describe(`fingerprint key store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("keeps nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* FingerprintKeyStore
          yield* Effect.exit(atomic(Effect.andThen(store.insert("sealed"), Effect.fail("no"))))
          assert.isUndefined(yield* store.find)
        })
      )

      it.effect("keeps one key of many that are inserted at once, and no other after it", () =>
        Effect.gen(function* () {
          const store = yield* FingerprintKeyStore
          const sealed = Array.from({ length: 12 }, (_, index) => `sealed ${index}`)
          const found = yield* Effect.forEach(sealed, (one) => Effect.andThen(atomic(store.insert(one)), store.find), {
            concurrency: "unbounded"
          })
          assert.strictEqual(new Set(found).size, 1)
          assert.include(sealed, found[0])
          yield* atomic(store.insert("later"))
          assert.strictEqual(yield* store.find, found[0])
        })
      )

      it.effect("puts another in the place of the one that was read, and of no other", () =>
        Effect.gen(function* () {
          const store = yield* FingerprintKeyStore
          yield* atomic(store.insert("first"))
          const sealed = (yield* store.find) ?? ""
          assert.isFalse(yield* atomic(store.replace("another", "resealed")))
          assert.strictEqual(yield* store.find, sealed)
          assert.isTrue(yield* atomic(store.replace(sealed, "resealed")))
          assert.isFalse(yield* atomic(store.replace(sealed, "again")))
          assert.strictEqual(yield* store.find, "resealed")
        })
      )
    })
  })
