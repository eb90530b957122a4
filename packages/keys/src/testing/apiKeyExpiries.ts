import { atomic, type OrganizationId } from "@agent-platform/kernel"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type ApiKey, ApiKeyId } from "../ApiKey.ts"
import { ApiKeyStore, type ExpiryWindow } from "../ports/ApiKeyStore.ts"
import { type Cases, keyOf, REVOKED_AT, revoke, tenants } from "./storedApiKeys.ts"

// Long before the times of all other cases, since the window selects among all keys of the store.
const NOW = DateTime.makeUnsafe("2019-03-01T12:00:00.000Z")
const WINDOW: ExpiryWindow = { now: NOW, until: DateTime.add(NOW, { days: 7 }), lifetimeHours: 24 }

const within = { createdAt: DateTime.subtract(NOW, { days: 90 }), expiresAt: DateTime.add(NOW, { days: 3 }) }

const take = (organizationId: OrganizationId, window = WINDOW, max = 1_000) =>
  ApiKeyStore.use((store) =>
    Effect.map(atomic(store.takeExpiring(window, max)), (keys) =>
      keys.filter((key) => key.organizationId === organizationId)
    )
  )

const idsOf = (keys: ReadonlyArray<ApiKey>) => keys.map(({ id }) => id)

/** Cases about keys that expire soon, each of which is taken once. */
export const expiryCases: Cases = (it) => {
  it.effect("takes keys that expire within the window, and each of them once", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      const last = { ...within, expiresAt: WINDOW.until }
      const keys = [(yield* keyOf(first, within)).key, (yield* keyOf(ofOrganization, last)).key]
      for (const expiresAt of [null, NOW, DateTime.add(WINDOW.until, { milliseconds: 1 })]) {
        yield* keyOf(first, { ...within, expiresAt })
      }
      assert.sameDeepMembers([...(yield* take(first.organizationId))], keys)
      assert.isEmpty(yield* take(first.organizationId))
      for (const key of keys) assert.deepStrictEqual(yield* store.find(key, key.id), key)
    })
  )

  it.effect("takes a key again once it expires at another time", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first, within)
      yield* take(first.organizationId)
      yield* atomic(store.replace({ ...key, name: "Renamed", version: 2 }))
      assert.isEmpty(yield* take(first.organizationId))
      const expiresAt = DateTime.add(NOW, { days: 5 })
      yield* atomic(store.replace({ ...key, expiresAt, version: 3 }))
      assert.deepStrictEqual(idsOf(yield* take(first.organizationId)), [key.id])
    })
  )

  it.effect("passes over keys that cannot be used, that are being replaced, and that were made for a short time", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key: revoked } = yield* keyOf(first, within)
      yield* revoke(first, revoked.id, REVOKED_AT)
      yield* keyOf(first, { ...within, disabled: true })
      yield* keyOf(first, { ...within, createdAt: DateTime.subtract(within.expiresAt, { hours: 24 }) })
      const { key: successor } = yield* keyOf(first)
      const { key: replaced } = yield* keyOf(first, within)
      yield* atomic(store.replace({ ...replaced, replacedBy: ApiKeyId.make(successor.id), version: 2 }))
      assert.isEmpty(yield* take(first.organizationId))
    })
  )

  it.effect("gives each key to one of several who take at once, and no more than they ask for", () =>
    Effect.gen(function* () {
      const { first } = yield* tenants
      const keys: Array<ApiKey> = []
      for (let index = 0; index < 12; index++) keys.push((yield* keyOf(first, within)).key)
      const taken = yield* Effect.forEach(Array.from({ length: 8 }), () => take(first.organizationId, WINDOW, 5), {
        concurrency: "unbounded"
      })
      for (const some of taken) assert.isAtMost(some.length, 5)
      const rest = yield* take(first.organizationId)
      assert.sameMembers(idsOf([...taken.flat(), ...rest]), idsOf(keys))
    })
  )

  it.effect("takes nothing where the transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first, within)
      yield* Effect.exit(atomic(Effect.andThen(store.takeExpiring(WINDOW, 1_000), Effect.fail("refused"))))
      assert.deepStrictEqual(idsOf(yield* take(first.organizationId)), [key.id])
    })
  )
}
