/** Spec: API keys 5. */
import { anId } from "@agent-platform/kernel/testing"
import { ApiKeyId, Keys } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { create, founded, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

describe("revoking a key", () => {
  it.effect("answers the key, revoked now", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const revoked = yield* keys.revokeApiKey({ owner: inside, id: key.id })
      assert.deepStrictEqual(revoked, { ...key, revokedAt: NOW, version: revoked.version })
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers the same, with the same time, however often it is asked", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const first = yield* keys.revokeApiKey({ owner: inside, id: key.id })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* keys.revokeApiKey({ owner: inside, id: key.id }), first)
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of a key of another owner, and leaves it as it is", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside, whole } = yield* founded
      const foreign = yield* founded
      const { key, value } = yield* create(inside)
      for (const owner of [whole, foreign.inside, foreign.whole]) {
        const refused = yield* Effect.flip(keys.revokeApiKey({ owner, id: key.id }))
        assert.strictEqual(refused._tag, "ApiKeyNotFound")
      }
      const unknown = yield* Effect.flip(keys.revokeApiKey({ owner: inside, id: anId(ApiKeyId) }))
      assert.strictEqual(unknown._tag, "ApiKeyNotFound")
      yield* keys.authenticate({ credential: value, workspaceId: undefined })
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves the other keys of its owner in use", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const [one, two] = [yield* create(inside), yield* create(inside)]
      yield* keys.revokeApiKey({ owner: inside, id: one.key.id })
      const { key } = yield* keys.authenticate({ credential: two.value, workspaceId: undefined })
      assert.strictEqual(key.id, two.key.id)
    }).pipe(Effect.provide(memory))
  )
})
