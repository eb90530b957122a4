import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ApiKey, ApiKeyId } from "../ApiKey.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { aHash, anApiKey } from "./builders.ts"
import { type Cases, keyOf, noteUse, REVOKED_AT, revoke, tenants } from "./storedApiKeys.ts"

const replace = (key: ApiKey) => ApiKeyStore.use((store) => atomic(store.replace(key)))

const next = (key: ApiKey, change: Partial<ApiKey> = {}): ApiKey => ({ ...key, version: key.version + 1, ...change })

/** Cases about changes of keys, also at the same time. */
export const changeCases: Cases = (it) => {
  it.effect("keeps a change of everything that can be changed", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      for (const owner of [first, ofOrganization]) {
        const { hash, key } = yield* keyOf(owner)
        const full = next(key, {
          name: 'Größe 💡 "quoted"',
          scopes: ["agents:read"],
          organizationRole: "admin",
          allowedIps: ["198.51.100.7/32", "2001:db8::/48"],
          rateLimit: { limit: 7, windowSeconds: 60 },
          metadata: { team: "é" },
          disabled: true,
          expiresAt: DateTime.makeUnsafe("2027-01-01T00:00:00.001Z")
        })
        assert.isTrue(yield* replace(full))
        assert.deepStrictEqual(yield* store.find(owner, key.id), full)
        const empty = next(key, { version: 3, name: "plain" })
        assert.isTrue(yield* replace(empty))
        assert.deepStrictEqual((yield* store.findByHash(hash, undefined))?.key, empty)
      }
    })
  )

  it.effect("changes no version but the one before, and no unknown key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first, { version: 3 })
      for (const version of [1, 3, 5]) assert.isFalse(yield* replace({ ...key, version, name: "other" }))
      assert.isFalse(yield* replace(next(key, { id: anId(ApiKeyId) })))
      assert.deepStrictEqual(yield* store.find(first, key.id), key)
    })
  )

  it.effect("holds keys of one organization, of any owner, as they are by then", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      const keys = [yield* keyOf(mine.ofOrganization), yield* keyOf(mine.first), yield* keyOf(mine.second)].map(
        ({ key }) => key
      )
      const others = [(yield* keyOf(foreign.ofOrganization)).key.id, anId(ApiKeyId)]
      const revoked = (yield* revoke(mine.first, keys[1]!.id))?.key
      const ids = [...others, ...keys.map(({ id }) => id).reverse()]
      const held = yield* atomic(store.hold(mine.ofOrganization.organizationId, ids))
      assert.deepStrictEqual(held, [keys[0]!, revoked!, keys[2]!])
      assert.isEmpty(yield* atomic(store.hold(mine.ofOrganization.organizationId, [])))
    })
  )

  it.effect("lets twenty who hold a key change it one after another, whatever else they hold", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      const [one, two] = [(yield* keyOf(ofOrganization)).key, (yield* keyOf(first)).key]
      const change = (index: number) =>
        atomic(
          Effect.gen(function* () {
            const ids = index % 2 === 0 ? [one.id, two.id] : [two.id, one.id]
            for (const key of yield* store.hold(ofOrganization.organizationId, ids)) {
              assert.isTrue(yield* store.replace(next(key, { name: `name ${index}` })))
            }
          })
        )
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        change,
        { concurrency: "unbounded" }
      )
      const versions = [
        (yield* store.find(ofOrganization, one.id))?.version,
        (yield* store.find(first, two.id))?.version
      ]
      assert.deepStrictEqual(versions, [21, 21])
    })
  )

  it.effect("lets one of twenty who change the same version do it", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const names = Array.from({ length: 20 }, (_, index) => `name ${index}`)
      const done = yield* Effect.forEach(names, (name) => replace(next(key, { name })), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        names.filter((_, index) => done[index]),
        [(yield* store.find(first, key.id))?.name]
      )
    })
  )

  it.effect("changes nobody else's key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      const { key } = yield* keyOf(mine.first)
      for (const owner of [mine.second, mine.ofOrganization, foreign.first, foreign.ofOrganization]) {
        assert.isFalse(yield* replace(next(key, owner)))
      }
      assert.deepStrictEqual(yield* store.find(mine.first, key.id), key)
    })
  )

  it.effect("gives a key a successor in the same transaction", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      for (const owner of [first, ofOrganization]) {
        const { key } = yield* keyOf(owner)
        const successor = anApiKey({ ...key, id: anId(ApiKeyId) })
        const old = next(key, { replacedBy: successor.id })
        yield* atomic(Effect.andThen(store.replace(old), store.insert(successor, aHash())))
        assert.deepStrictEqual(yield* store.find(owner, key.id), old)
        assert.deepStrictEqual(yield* store.find(owner, successor.id), successor)
      }
    })
  )

  it.effect("takes back neither a revocation nor the last use", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const usedAt = DateTime.makeUnsafe("2026-11-21T06:00:00.500Z")
      yield* noteUse(key, usedAt)
      yield* revoke(first, key.id)
      assert.isFalse(yield* replace(next(key, { name: "other" })))
      assert.isTrue(yield* replace(next(key, { name: "other", version: key.version + 2 })))
      const found = yield* store.find(first, key.id)
      assert.deepInclude(found, { name: "other", revokedAt: REVOKED_AT, lastUsedAt: usedAt })
    })
  )

  it.effect("keeps nothing of a change whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      yield* Effect.exit(atomic(Effect.andThen(store.replace(next(key, { name: "other" })), Effect.fail("refused"))))
      assert.deepStrictEqual(yield* store.find(first, key.id), key)
    })
  )
}
