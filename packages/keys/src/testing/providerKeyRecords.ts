import { atomic, WorkspaceId } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ProviderKey, ProviderKeyId } from "../ProviderKey.ts"
import * as ProviderKeyHealth from "../ProviderKeyHealth.ts"
import { ProviderKeyStore } from "../ports/ProviderKeyStore.ts"
import { aProviderKey } from "./providerKeyBuilders.ts"
import { type Cases, insert, NOW, revoke, sealedOf, update } from "./storedProviderKeys.ts"

const REFUSED = { providerStatus: 401, providerCode: "invalid_api_key" }

/** Cases about the records of keys, and about finding and changing them. */
export const recordCases: Cases = (it) => {
  it.effect("gives back a key and its value exactly as they were inserted", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant(), {
        provider: "openai_compatible",
        name: 'Größe 💡 "quoted" \\ \u0001\u2028',
        status: "rate_limited",
        limitedUntil: DateTime.makeUnsafe("2026-11-22T00:00:00.001Z"),
        priority: 0,
        fallback: "platform",
        allowedModels: ["gpt-5*", "é, {x}", 'a"b'],
        baseUrl: "https://models.example.com/v1?x=%20",
        version: 7,
        createdBy: { type: "system", id: "admin", label: "the é admin" },
        lastUsedAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z"),
        lastValidatedAt: DateTime.makeUnsafe("2026-11-21T23:59:59.986Z"),
        lastError: { code: "rate_limited", providerStatus: 429, providerCode: "rate_limit_exceeded", at: NOW }
      })
      assert.deepStrictEqual(yield* store.find(key.workspaceId, key.id), key)
      assert.deepStrictEqual(yield* store.findSealed(key.workspaceId, key.id), { key, sealed: sealedOf(key) })
    })
  )

  it.effect("lets five of twenty who register at once register, where five is what the workspace may have", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const [tenant, other] = [yield* aTenant(), yield* aTenant()]
      yield* insert(other)
      yield* revoke(yield* insert(tenant))
      const register = Effect.gen(function* () {
        if ((yield* store.holdKeys(tenant.workspaceId)) >= 5) return
        const key = aProviderKey(tenant)
        yield* store.insert(key, sealedOf(key))
      })
      yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(register), { concurrency: "unbounded" })
      assert.strictEqual(yield* atomic(store.holdKeys(tenant.workspaceId)), 5)
      assert.strictEqual(yield* atomic(store.holdKeys(other.workspaceId)), 1)
    })
  )

  it.effect("finds and changes a key for its workspace and for no other", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const [mine, theirs] = [yield* aTenant(), yield* aTenant()]
      const sibling = yield* aTenant({ organizationId: mine.organizationId })
      const key = yield* insert(mine)
      for (const { workspaceId } of [theirs, sibling, { workspaceId: anId(WorkspaceId) }]) {
        assert.isUndefined(yield* store.find(workspaceId, key.id))
        assert.isUndefined(yield* store.findSealed(workspaceId, key.id))
        assert.isUndefined(
          yield* update({ id: key.id, workspaceId }, () => ({ key: ProviderKeyHealth.revoked(key, NOW) }))
        )
        assert.isEmpty((yield* store.list(workspaceId, { limit: 50, before: undefined })).items)
        assert.isEmpty(yield* store.ofProvider(workspaceId, "openai"))
      }
      assert.isUndefined(yield* store.find(mine.workspaceId, anId(ProviderKeyId)))
      assert.deepStrictEqual(yield* store.find(mine.workspaceId, key.id), key)
    })
  )

  it.effect("lists the workspace's keys newest first, page by page, revoked ones included", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const tenant = yield* aTenant()
      const keys: Array<ProviderKey> = []
      for (let count = 0; count < 5; count++) keys.push(yield* insert(tenant))
      yield* insert(yield* aTenant())
      yield* revoke(keys[2]!)
      const one = yield* store.list(tenant.workspaceId, { limit: 3, before: undefined })
      const two = yield* store.list(tenant.workspaceId, { limit: 3, before: one.next })
      assert.deepStrictEqual(
        [...one.items, ...two.items].map(({ id }) => id),
        keys.map(({ id }) => id).toReversed()
      )
      assert.strictEqual(one.items.length, 3)
      assert.strictEqual(one.items[2]?.status, "revoked")
      assert.isUndefined(two.next)
    })
  )

  it.effect("gives a provider's keys by priority and then the oldest first, without those that are revoked", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const tenant = yield* aTenant()
      const older = yield* insert(tenant)
      const younger = yield* insert(tenant)
      const last = yield* insert(tenant, { priority: 101 })
      const first = yield* insert(tenant, { priority: 9, status: "invalid" })
      yield* insert(tenant, { provider: "anthropic" })
      yield* revoke(yield* insert(tenant, { priority: 1 }))
      const found = yield* store.ofProvider(tenant.workspaceId, "openai")
      assert.deepStrictEqual(
        found,
        [first, older, younger, last].map((key) => ({ key, sealed: sealedOf(key) }))
      )
    })
  )

  it.effect("keeps every part of a change but what a key has for ever", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant(), { lastUsedAt: NOW })
      const changed = aProviderKey({
        name: "Renamed",
        hint: "sk-x…yyyy",
        fingerprint: "fedcba9876543210",
        status: "quota_exhausted",
        limitedUntil: DateTime.add(NOW, { hours: 1 }),
        priority: 3,
        fallback: "platform",
        allowedModels: ["gpt-5"],
        version: 9,
        lastValidatedAt: NOW,
        lastError: { code: "quota_exhausted", providerStatus: 429, providerCode: null, at: NOW },
        provider: "google",
        createdAt: NOW
      })
      const { baseUrl, createdAt, createdBy, id, lastUsedAt, organizationId, provider, workspaceId } = key
      const expected = {
        ...changed,
        ...{ baseUrl, createdAt, createdBy, id, lastUsedAt, organizationId, provider, workspaceId }
      }
      assert.deepStrictEqual(yield* update(key, () => ({ key: changed })), { before: key, after: expected })
      assert.deepStrictEqual(yield* store.find(key.workspaceId, key.id), expected)
    })
  )

  it.effect("leaves a key that a change leaves", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant())
      assert.deepStrictEqual(yield* update(key, () => undefined), { before: key, after: key })
      assert.deepStrictEqual(yield* store.find(key.workspaceId, key.id), key)
    })
  )

  // When twenty runs report the same refused key, exactly one of them must count as the first.
  it.effect("shows each of twenty changes at once what the one before it has made", () =>
    Effect.gen(function* () {
      const key = yield* insert(yield* aTenant())
      const changes = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, minutes) => DateTime.add(NOW, { minutes })),
        (at) =>
          update(key, (now) =>
            now.status === "invalid" ? undefined : { key: ProviderKeyHealth.invalidated(now, REFUSED, at) }
          ),
        { concurrency: "unbounded" }
      )
      const made = changes.filter((one) => one?.before.status !== one?.after.status)
      assert.strictEqual(made.length, 1)
      assert.strictEqual(new Set(changes.map((one) => one?.after.lastError?.at.epochMilliseconds)).size, 1)
    })
  )

  it.effect("lets a revocation win over whatever is changed at the same time", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant())
      const rename = update(key, (now) =>
        now.status === "revoked" ? undefined : { key: { ...now, name: "Renamed" }, sealed: "v1.k1.another" }
      )
      yield* Effect.all([rename, rename, revoke(key), rename, rename], { concurrency: "unbounded" })
      assert.strictEqual((yield* store.find(key.workspaceId, key.id))?.status, "revoked")
      assert.isUndefined(yield* store.findSealed(key.workspaceId, key.id))
    })
  )

  it.effect("keeps nothing of an insertion or a change whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const key = yield* insert(yield* aTenant())
      const other = aProviderKey({ organizationId: key.organizationId, workspaceId: key.workspaceId })
      yield* Effect.exit(atomic(Effect.andThen(store.insert(other, "v1.k1.x"), Effect.fail("no"))))
      const change = store.update(key.workspaceId, key.id, (now) => ({ key: ProviderKeyHealth.revoked(now, NOW) }))
      yield* Effect.exit(atomic(Effect.andThen(change, Effect.fail("no"))))
      assert.isUndefined(yield* store.find(other.workspaceId, other.id))
      assert.deepStrictEqual(yield* store.findSealed(key.workspaceId, key.id), { key, sealed: sealedOf(key) })
    })
  )
}
