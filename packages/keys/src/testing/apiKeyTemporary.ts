import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ApiKey, ApiKeyId } from "../ApiKey.ts"
import { LoginSessionId } from "../LoginSession.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { aHash, anApiKey } from "./builders.ts"
import { type Cases, keyOf, REVOKED_AT, tenants } from "./storedApiKeys.ts"

const NOW = DateTime.makeUnsafe("2026-11-23T08:00:00.007Z")
const inSeconds = (seconds: number) => DateTime.add(NOW, { seconds })

const forBrowsers = (expiresAt: DateTime.Utc): Partial<ApiKey> => ({
  expiresAt,
  boundTo: { type: "api_key", id: anId(ApiKeyId) },
  reads: { type: "run", id: anId(ApiKeyId) }
})

const aGrant = (expiresAt: DateTime.Utc): Partial<ApiKey> => ({
  expiresAt,
  boundTo: { type: "session", id: anId(LoginSessionId) }
})

/** Cases about keys that end with the credential that made them. */
export const temporaryCases: Cases = (it) => {
  it.effect("gives back what a temporary key is bound to, and what it reads", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      for (const [owner, of] of [
        [first, forBrowsers(NOW)],
        [first, { ...forBrowsers(NOW), reads: { type: "session", id: anId(ApiKeyId) } as const }],
        [ofOrganization, aGrant(NOW)]
      ] as const) {
        const { hash, key } = yield* keyOf(owner, of)
        assert.deepStrictEqual(yield* store.find(owner, key.id), key)
        assert.deepStrictEqual((yield* store.findByHash(hash, undefined))?.key, key)
      }
    })
  )

  it.effect("counts temporary keys apart from the others, the live ones alone", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, second, ofOrganization } = yield* tenants
      yield* keyOf(first)
      for (const seconds of [-1, 0, 1, 2]) yield* keyOf(first, forBrowsers(inSeconds(seconds)))
      yield* keyOf(first, { ...forBrowsers(inSeconds(9)), revokedAt: REVOKED_AT })
      yield* keyOf(second, forBrowsers(inSeconds(9)))
      for (const seconds of [0, 1]) yield* keyOf(ofOrganization, aGrant(inSeconds(seconds)))
      const count = (owner: typeof first, which: "temporary" | "lasting", max = 9) =>
        atomic(store.holdCount(owner, which, NOW, max))
      assert.deepStrictEqual([yield* count(first, "temporary"), yield* count(first, "lasting")], [2, 1])
      assert.strictEqual(yield* count(first, "temporary", 1), 1)
      assert.deepStrictEqual(
        [yield* count(ofOrganization, "temporary"), yield* count(ofOrganization, "lasting")],
        [1, 0]
      )
    })
  )

  it.effect(
    "lets five of twenty who create temporary keys at once create them, where five is what the owner may have",
    () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const { first } = yield* tenants
        const create = Effect.gen(function* () {
          if ((yield* store.holdCount(first, "temporary", NOW, 5)) >= 5) return
          yield* store.insert(anApiKey({ ...first, ...forBrowsers(inSeconds(1)) }), aHash())
        })
        yield* Effect.forEach(Array.from({ length: 20 }), () => atomic(create), { concurrency: "unbounded" })
        assert.strictEqual(yield* atomic(store.holdCount(first, "temporary", NOW, 100)), 5)
      })
  )

  it.effect("lists webhook grants and no browser key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      const { key } = yield* keyOf(first)
      yield* keyOf(first, forBrowsers(NOW))
      const { key: grant } = yield* keyOf(ofOrganization, aGrant(NOW))
      const page = { limit: 1, before: undefined }
      for (const [owner, { id }] of [
        [first, key],
        [ofOrganization, grant]
      ] as const) {
        const { items, next } = yield* store.list(owner, page)
        assert.deepStrictEqual([items.map((item) => item.id), next], [[id], undefined])
      }
    })
  )

  it.effect("finds a maker of whatever owner in its organization, and in no other", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      for (const owner of [mine.first, mine.second, mine.ofOrganization]) {
        const { key } = yield* keyOf(owner)
        assert.deepStrictEqual(
          yield* store.findMaker(mine.ofOrganization.organizationId, key.id),
          yield* store.find(owner, key.id)
        )
        assert.isUndefined(yield* store.findMaker(foreign.ofOrganization.organizationId, key.id))
      }
      assert.isUndefined(yield* store.findMaker(mine.ofOrganization.organizationId, anId(ApiKeyId)))
    })
  )

  it.effect("takes no temporary key for a descendant of its maker", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key: maker } = yield* keyOf(first)
      const createdBy = { type: "user" as const, id: maker.id, label: "a key" }
      const { key: made } = yield* keyOf(first, { createdBy })
      const { key: temporary } = yield* keyOf(first, { ...forBrowsers(inSeconds(9)), createdBy })
      assert.strictEqual(yield* store.countDescendants(first.organizationId, maker.id), 1)
      const revoked = yield* atomic(store.revokeDescendants(first.organizationId, maker.id, REVOKED_AT, 9))
      assert.deepStrictEqual(
        revoked.map(({ id }) => id),
        [made.id]
      )
      assert.isNull((yield* store.find(first, temporary.id))?.revokedAt)
    })
  )

  it.effect("warns of no temporary key, and removes those that are over, in portions, and no other key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      // Earlier than every other key of the suite, so that keys of other cases do not use up a portion.
      const long = DateTime.makeUnsafe("2001-02-03T04:05:06.007Z")
      const before = DateTime.subtract(long, { days: 9 })
      const over = [
        yield* keyOf(first, { ...forBrowsers(long), createdAt: before }),
        yield* keyOf(first, { ...forBrowsers(long), createdAt: before, revokedAt: REVOKED_AT }),
        yield* keyOf(ofOrganization, { ...aGrant(long), createdAt: before })
      ]
      const { key: lasting } = yield* keyOf(first, { expiresAt: long })
      const { key: live } = yield* keyOf(first, forBrowsers(DateTime.add(long, { milliseconds: 1 })))
      const warned = yield* atomic(
        store.takeExpiring({ now: DateTime.subtract(long, { seconds: 1 }), until: long, lifetimeHours: 1 }, 99)
      )
      assert.deepStrictEqual(
        over.filter(({ key }) => warned.some(({ id }) => id === key.id)),
        []
      )
      assert.strictEqual(yield* atomic(store.pruneTemporary(long, 2)), 2)
      assert.strictEqual(yield* atomic(store.pruneTemporary(long, 2)), 1)
      assert.strictEqual(yield* atomic(store.pruneTemporary(long, 2)), 0)
      for (const { hash } of over) assert.isUndefined(yield* store.findByHash(hash, undefined))
      for (const { id } of [lasting, live]) assert.isDefined(yield* store.find(first, id))
    })
  )
}
