import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ApiKeyId } from "../ApiKey.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { type Cases, keyOf, REVOKED_AT, revoke, tenants } from "./storedApiKeys.ts"

/** Cases about the revocation of keys. */
export const revocationCases: Cases = (it) => {
  it.effect("shows a revocation to the very next look-up", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { hash, key } = yield* keyOf(first)
      const revoked = (yield* revoke(first, key.id))?.key
      assert.deepStrictEqual(revoked, { ...key, version: key.version + 1, revokedAt: REVOKED_AT })
      assert.deepStrictEqual((yield* store.findByHash(hash, undefined))?.key, revoked)
      assert.deepStrictEqual(yield* store.find(first, key.id), revoked)
    })
  )

  it.effect("leaves a revoked key as it is when it is revoked again", () =>
    Effect.gen(function* () {
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const revoked = yield* revoke(first, key.id)
      assert.isTrue(revoked?.isFirst)
      assert.deepStrictEqual(yield* revoke(first, key.id, DateTime.add(REVOKED_AT, { hours: 1 })), {
        key: revoked?.key,
        isFirst: false
      })
    })
  )

  it.effect("lets twenty revocations at once agree on one time, and on who was first", () =>
    Effect.gen(function* () {
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, minutes) => DateTime.add(REVOKED_AT, { minutes })),
        (at) => revoke(first, key.id, at),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter((answer) => answer?.isFirst).length, 1)
      const times = new Set(answers.map((answer) => answer?.key.revokedAt?.epochMilliseconds))
      assert.strictEqual(times.size, 1)
      assert.isFalse(times.has(undefined))
    })
  )

  // Owners are compared exactly: what an organization's key may reach is decided before the store is asked.
  it.effect("lets nobody but its owner revoke a key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [mine, foreign] = [yield* tenants, yield* tenants]
      const { key } = yield* keyOf(mine.first)
      for (const owner of [mine.second, mine.ofOrganization, foreign.first, foreign.ofOrganization]) {
        assert.isUndefined(yield* revoke(owner, key.id))
      }
      assert.isUndefined(yield* revoke(mine.first, anId(ApiKeyId)))
      assert.deepStrictEqual(yield* store.find(mine.first, key.id), key)
    })
  )

  it.effect("keeps nothing of a revocation whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      yield* Effect.exit(atomic(Effect.andThen(store.revoke(first, key.id, REVOKED_AT), Effect.fail("refused"))))
      assert.deepStrictEqual(yield* store.find(first, key.id), key)
    })
  )
}
