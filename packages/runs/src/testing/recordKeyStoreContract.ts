import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { RecordKeyStore } from "../ports/RecordKeyStore.ts"
import { type RecordKey, recordKeyPlace } from "../RecordKey.ts"
import { BUILT_AT } from "./builders.ts"

const aKey = (seconds: number): RecordKey => ({
  id: SecureRandom.uuidV4Unsafe(),
  publicKey: "public",
  sealedPrivateKey: "sealed",
  createdAt: DateTime.add(BUILT_AT, { seconds }),
  retiredAt: null
})

/** The contract of every store of record keys. No other suite may share the layer, since a store has only one list of keys. */
export const recordKeyStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | RecordKeyStore, E>) =>
  describe(`record key store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("has one key that signs, and keeps those before it with the time when they were retired", () =>
        Effect.gen(function* () {
          const store = yield* RecordKeyStore
          const before = yield* store.list
          const [first, second] = [aKey(before.length), aKey(before.length + 1)]
          yield* atomic(Effect.andThen(store.hold, store.insert(first)))
          assert.deepStrictEqual(yield* store.current, first)
          yield* atomic(Effect.andThen(store.hold, store.insert(second)))
          assert.deepStrictEqual(yield* store.current, second)
          const [newest, retired] = yield* store.list
          assert.deepStrictEqual([newest, retired], [second, { ...first, retiredAt: second.createdAt }])
          assert.strictEqual((yield* store.list).length, before.length + 2)
        })
      )

      it.effect("makes one key however many find none and make one at once", () =>
        Effect.gen(function* () {
          const store = yield* RecordKeyStore
          const before = yield* store.list
          const found = before[0]?.id
          const ensure = atomic(
            Effect.gen(function* () {
              yield* store.hold
              const current = yield* store.current
              if (current === undefined || current.id === found) yield* store.insert(aKey(before.length))
            })
          )
          yield* Effect.forEach(Array.from({ length: 12 }), () => ensure, { concurrency: "unbounded" })
          assert.strictEqual((yield* store.list).length, before.length + 1)
        })
      )

      it.effect("keeps nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* RecordKeyStore
          const before = yield* store.list
          yield* Effect.exit(atomic(Effect.andThen(store.insert(aKey(99)), Effect.fail("no"))))
          assert.deepStrictEqual(yield* store.list, before)
        })
      )

      it.effect("walks every private key in one order, and puts another in the place of the one that was read", () =>
        Effect.gen(function* () {
          const store = yield* RecordKeyStore
          const before = yield* store.list
          for (const index of [0, 1, 2, 3]) yield* atomic(store.insert(aKey(before.length + index)))
          const keys = yield* store.list
          const all = yield* store.sealedPrivateKeys(undefined, 1_000_000)
          assert.sameMembers(
            all.map(({ place }) => place),
            keys.map(recordKeyPlace)
          )
          const walked: Array<(typeof all)[number]> = []
          for (let next = yield* store.sealedPrivateKeys(undefined, 3); next.length > 0; ) {
            walked.push(...next)
            for (const value of next) {
              const replace = (sealed: string, resealed: string) =>
                store.replaceSealedPrivateKey({ ...value, sealed }, resealed)
              yield* Effect.exit(atomic(Effect.andThen(replace(value.sealed, "v1.k2.no"), Effect.fail("no"))))
              assert.isFalse(yield* atomic(replace("v1.k0.old", "v1.k2.no")))
              assert.isTrue(yield* atomic(replace(value.sealed, `v1.k2.${value.position}`)))
              assert.isFalse(yield* atomic(replace(value.sealed, "v1.k3.no")))
            }
            next = yield* store.sealedPrivateKeys(next.at(-1)?.position, 3)
          }
          assert.deepStrictEqual(walked, [...all])
          const sealedAt = new Map(all.map(({ place, position }) => [place, `v1.k2.${position}`]))
          assert.deepStrictEqual(
            yield* store.list,
            keys.map((key) => ({ ...key, sealedPrivateKey: sealedAt.get(recordKeyPlace(key))! }))
          )
        })
      )
    })
  })
