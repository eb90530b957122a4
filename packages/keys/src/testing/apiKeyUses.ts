import { atomic, OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { ApiKey } from "../ApiKey.ts"
import { ApiKeyStore, USE_APART_SECONDS } from "../ports/ApiKeyStore.ts"
import { type Cases, keyOf, noteUse, tenants } from "./storedApiKeys.ts"

const USED_AT = DateTime.makeUnsafe("2026-11-21T06:00:00.500Z")

const later = (seconds: number) => DateTime.add(USED_AT, { seconds })

const lastUseOf = (key: ApiKey) =>
  ApiKeyStore.use((store) => Effect.map(store.find(key, key.id), (found) => found?.lastUsedAt))

/** Cases about noting the last use of a key. */
export const lastUseCases: Cases = (it) => {
  it.effect("notes the uses of several keys at once, and changes nothing else of them", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first, ofOrganization } = yield* tenants
      const keys = [(yield* keyOf(first)).key, (yield* keyOf(ofOrganization)).key]
      const { key: other } = yield* keyOf(first)
      yield* atomic(
        store.noteUses(keys.map(({ id, organizationId }, index) => ({ organizationId, id, at: later(index) })))
      )
      for (const [index, key] of keys.entries()) {
        assert.deepStrictEqual(yield* store.find(key, key.id), { ...key, lastUsedAt: later(index) })
      }
      assert.deepStrictEqual(yield* store.find(other, other.id), other)
      yield* atomic(store.noteUses([]))
    })
  )

  it.effect("keeps times apart, and never goes back", () =>
    Effect.gen(function* () {
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      yield* noteUse(key, USED_AT)
      for (const seconds of [USE_APART_SECONDS - 0.001, -USE_APART_SECONDS, 0]) {
        yield* noteUse(key, DateTime.add(USED_AT, { milliseconds: seconds * 1_000 }))
        assert.deepStrictEqual(yield* lastUseOf(key), USED_AT)
      }
      yield* noteUse(key, later(USE_APART_SECONDS))
      assert.deepStrictEqual(yield* lastUseOf(key), later(USE_APART_SECONDS))
    })
  )

  it.effect("notes one of twenty uses in the same minute", () =>
    Effect.gen(function* () {
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      const times = Array.from({ length: 20 }, (_, seconds) => later(seconds))
      yield* Effect.forEach(times, (at) => noteUse(key, at), { concurrency: "unbounded" })
      const noted = yield* lastUseOf(key)
      assert.include(
        times.map((time) => time.epochMilliseconds),
        noted?.epochMilliseconds
      )
      for (const at of times.toReversed()) yield* noteUse(key, at)
      assert.deepStrictEqual(yield* lastUseOf(key), noted)
    })
  )

  it.effect(
    "answers a key's first use in its hour to one of twenty who note it, and its next in that hour to none",
    () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const { first } = yield* tenants
        const [{ key }, { key: other }] = [yield* keyOf(first), yield* keyOf(first)]
        const noteAt = (at: DateTime.Utc, ...keys: ReadonlyArray<ApiKey>) =>
          atomic(store.noteUses(keys.map(({ id, organizationId }) => ({ organizationId, id, at }))))
        const hour = DateTime.startOf(USED_AT, "hour")
        const at = (minutes: number) => DateTime.add(hour, { minutes })
        const many = yield* Effect.forEach(
          Array.from({ length: 20 }, () => at(10)),
          (time) => noteAt(time, key),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(many.flat(), [key.id])
        assert.deepStrictEqual(yield* noteAt(at(59), key, other), [other.id])
        assert.sameMembers([...(yield* noteAt(at(60), key, other))], [key.id, other.id])
        assert.isEmpty(yield* noteAt(at(60.5), key, other))
        assert.isEmpty(yield* noteAt(at(90), key, other))
      })
  )

  it.effect("notes nothing of a key under another organization", () =>
    Effect.gen(function* () {
      const [mine, foreign] = [yield* tenants, yield* tenants]
      const { key } = yield* keyOf(mine.first)
      for (const organizationId of [foreign.first.organizationId, anId(OrganizationId)]) {
        yield* noteUse({ ...key, organizationId }, USED_AT)
      }
      assert.isNull(yield* lastUseOf(key))
    })
  )

  it.effect("keeps nothing of a use whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { first } = yield* tenants
      const { key } = yield* keyOf(first)
      yield* Effect.exit(atomic(Effect.andThen(store.noteUses([{ ...key, at: USED_AT }]), Effect.fail("refused"))))
      assert.isNull(yield* lastUseOf(key))
    })
  )
}
