import { atomic } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ProviderKey, ProviderKeyId, providerKeyPlace } from "../ProviderKey.ts"
import * as ProviderKeyHealth from "../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../ports/ProviderKeyStore.ts"
import { type Cases, insert, NOW, revoke, sealedOf, update } from "./storedProviderKeys.ts"

/** Cases about the values of keys, and about noting their use. */
export const valueCases: Cases = (it) => {
  it.effect("erases the value with the revocation", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant())
      const changes = yield* update(key, (now) => ({ key: ProviderKeyHealth.revoked(now, NOW), sealed: "v1.k1.kept" }))
      assert.deepStrictEqual(changes, { before: key, after: ProviderKeyHealth.revoked(key, NOW) })
      assert.deepStrictEqual(yield* store.find(key.workspaceId, key.id), ProviderKeyHealth.revoked(key, NOW))
      assert.isUndefined(yield* store.findSealed(key.workspaceId, key.id))
      const left = yield* store.everyKey(undefined, 1_000_000)
      assert.notInclude(
        left.map((one) => one.key.id),
        key.id
      )
    })
  )

  it.effect("replaces the value with a change that has one, and keeps it with any other", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant())
      const sealed = () => Effect.map(store.findSealed(key.workspaceId, key.id), (found) => found?.sealed)
      yield* update(key, (now) => ({ key: { ...now, name: "Renamed" } }))
      assert.strictEqual(yield* sealed(), sealedOf(key))
      yield* update(key, (now) => ({ key: { ...now, fingerprint: "f".repeat(16) }, sealed: "v1.k1.another" }))
      assert.strictEqual(yield* sealed(), "v1.k1.another")
    })
  )

  it.effect("notes a use, but not one within a minute of the last, and never an earlier one", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const [one, two] = [yield* insert(yield* aTenant()), yield* insert(yield* aTenant())]
      const use = (key: ProviderKey, seconds: number) => ({ id: key.id, at: DateTime.add(NOW, { seconds }) })
      const lastUse = (key: ProviderKey) =>
        Effect.map(store.find(key.workspaceId, key.id), (found) => found?.lastUsedAt)
      yield* atomic(store.markUsed([use(one, 0), use(two, 5)]))
      assert.deepStrictEqual([yield* lastUse(one), yield* lastUse(two)], [use(one, 0).at, use(two, 5).at])
      yield* atomic(store.markUsed([use(one, 59), use(two, -600)]))
      assert.deepStrictEqual([yield* lastUse(one), yield* lastUse(two)], [use(one, 0).at, use(two, 5).at])
      yield* atomic(store.markUsed([use(one, 60), { id: anId(ProviderKeyId), at: NOW }]))
      assert.deepStrictEqual(yield* lastUse(one), use(one, 60).at)
      yield* atomic(store.markUsed([]))
    })
  )

  it.effect("walks the keys of every tenant, in the order of their ids", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const keys = [yield* insert(yield* aTenant()), yield* insert(yield* aTenant()), yield* insert(yield* aTenant())]
      const [first, second, third] = keys.map((key) => ({ key, sealed: sealedOf(key) }))
      const page = yield* store.everyKey(first?.key.id, 1)
      assert.deepStrictEqual(page, [second!])
      assert.deepInclude(yield* store.everyKey(second?.key.id, 1_000_000), third!)
      assert.notDeepInclude(yield* store.everyKey(second?.key.id, 1_000_000), second!)
    })
  )

  it.effect("puts a value in the place of the one that was read, and of no other", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant())
      const value = { position: key.id, place: providerKeyPlace(key), sealed: sealedOf(key) }
      const sealed = () => Effect.map(store.findSealed(key.workspaceId, key.id), (found) => found?.sealed)
      assert.isFalse(yield* atomic(store.replaceSealed({ ...value, sealed: "v1.k0.old" }, "v1.k2.no")))
      assert.isTrue(yield* atomic(store.replaceSealed(value, "v1.k2.new")))
      assert.strictEqual(yield* sealed(), "v1.k2.new")
      assert.isFalse(yield* atomic(store.replaceSealed(value, "v1.k3.no")))
      yield* revoke(key)
      assert.isFalse(yield* atomic(store.replaceSealed({ ...value, sealed: "v1.k2.new" }, "v1.k3.no")))
      assert.isUndefined(yield* sealed())
    })
  )
}
