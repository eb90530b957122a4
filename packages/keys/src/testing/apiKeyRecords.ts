import { atomic, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ApiKeyId } from "../ApiKey.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { aHash, anApiKey } from "./builders.ts"
import { type Cases, keyOf, REVOKED_AT, revoke, tenants } from "./storedApiKeys.ts"

/** Cases about the records of keys, and about finding them. */
export const recordCases: Cases = (it) => {
  it.effect("gives back a key exactly as it was inserted", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { hash, key } = yield* keyOf(first, {
        name: 'Größe 💡 "quoted" \\ \u0001\u2028',
        scopes: ["runs:write", "agents:read"],
        organizationRole: "admin",
        allowedIps: ["203.0.113.0/24", "2001:db8::/32"],
        rateLimit: { limit: 1_000_000, windowSeconds: 86_400 },
        metadata: { team: "é", "": "empty", 'a"b': "שלום" },
        disabled: true,
        version: 3,
        createdAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z"),
        createdBy: { type: "agent", id: "worker-1", label: "the é agent" },
        expiresAt: DateTime.makeUnsafe("2027-01-01T00:00:00.001Z"),
        lastUsedAt: DateTime.makeUnsafe("2026-12-24T00:00:00.999Z")
      })
      assert.deepStrictEqual(yield* store.find(first, key.id), key)
      assert.deepStrictEqual((yield* store.findByHash(hash, undefined))?.key, key)
    })
  )

  it.effect("lets five of twenty who create keys at once create them, where five is what the owner may have", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, second, ofOrganization } = yield* tenants
      const now = DateTime.makeUnsafe("2026-11-23T08:00:00.007Z")
      for (const other of [second, ofOrganization]) yield* keyOf(other)
      const { key: revoked } = yield* keyOf(first)
      yield* revoke(first, revoked.id)
      yield* keyOf(first, { expiresAt: now })
      yield* keyOf(first, { expiresAt: DateTime.add(now, { milliseconds: 1 }) })
      const create = Effect.gen(function* () {
        if ((yield* store.holdCount(first, "lasting", now, 5)) >= 5) return
        yield* store.insert(anApiKey({ ...first, kind: "workspace", scopes: [] }), aHash())
      })
      yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(create), { concurrency: "unbounded" })
      assert.strictEqual(yield* atomic(store.holdCount(first, "lasting", now, 100)), 5)
      assert.strictEqual(yield* atomic(store.holdCount(first, "lasting", now, 3)), 3)
      for (const other of [second, ofOrganization]) {
        assert.strictEqual(yield* atomic(store.holdCount(other, "lasting", now, 100)), 1)
      }
    })
  )

  it.effect("knows a key by its hash and by no other", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const [one, two] = [yield* keyOf(first), yield* keyOf(first)]
      assert.strictEqual((yield* store.findByHash(one.hash, undefined))?.key.id, one.key.id)
      assert.strictEqual((yield* store.findByHash(two.hash, undefined))?.key.id, two.key.id)
      assert.isUndefined(yield* store.findByHash(aHash(), undefined))
      assert.isUndefined(yield* store.findByHash("", undefined))
    })
  )

  it.effect("answers whether a workspace is one of the key's organization", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      for (const owner of [mine.ofOrganization, mine.first]) {
        const { hash } = yield* keyOf(owner)
        const found = (workspaceId: WorkspaceId | undefined) =>
          Effect.map(store.findByHash(hash, workspaceId), (row) => row?.workspaceFound)
        for (const workspaceId of mine.workspaces) assert.isTrue(yield* found(workspaceId))
        for (const workspaceId of foreign.workspaces) assert.isFalse(yield* found(workspaceId))
        assert.isFalse(yield* found(anId(WorkspaceId)))
        assert.isFalse(yield* found(undefined))
      }
    })
  )

  it.effect("finds a key for its owner and for nobody else", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      const owners = [mine.ofOrganization, mine.first, mine.second, foreign.ofOrganization, foreign.first]
      for (const owner of [mine.ofOrganization, mine.first]) {
        const { key } = yield* keyOf(owner)
        for (const asking of owners) {
          const found = yield* store.find(asking, key.id)
          assert.deepStrictEqual(found, asking === owner ? key : undefined)
        }
        assert.isUndefined(yield* store.find({ ...owner, organizationId: anId(OrganizationId) }, key.id))
      }
      assert.isUndefined(yield* store.find(mine.first, anId(ApiKeyId)))
    })
  )

  it.effect("lists the owner's keys newest first, page by page, revoked ones included", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, second, ofOrganization } = yield* tenants
      const keys = []
      for (let count = 0; count < 5; count++) keys.push((yield* keyOf(first)).key)
      yield* keyOf(second)
      yield* keyOf(ofOrganization)
      yield* revoke(first, keys[2]?.id ?? anId(ApiKeyId))
      const one = yield* store.list(first, { limit: 3, before: undefined })
      const two = yield* store.list(first, { limit: 3, before: one.next })
      const newestFirst = keys
        .map((key) => key.id)
        .sort()
        .reverse()
      assert.deepStrictEqual(
        [one, two].map((page) => page.items.length),
        [3, 2]
      )
      assert.deepStrictEqual(
        [...one.items, ...two.items].map((key) => key.id),
        newestFirst
      )
      assert.deepStrictEqual(one.items[2]?.revokedAt, REVOKED_AT)
      assert.isUndefined(two.next)
    })
  )

  it.effect("lists the keys of the organization itself without those of its workspaces", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      yield* keyOf(first)
      const { key } = yield* keyOf(ofOrganization)
      assert.deepStrictEqual(yield* store.list(ofOrganization, { limit: 1, before: undefined }), {
        items: [key],
        next: undefined
      })
    })
  )

  it.effect("keeps nothing of an insertion whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const [key, hash] = [anApiKey(first), aHash()]
      yield* Effect.exit(atomic(Effect.andThen(store.insert(key, hash), Effect.fail("refused"))))
      assert.isUndefined(yield* store.find(first, key.id))
      assert.isUndefined(yield* store.findByHash(hash, undefined))
    })
  )
}
