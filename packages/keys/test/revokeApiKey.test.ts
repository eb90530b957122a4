/** Spec: API keys 5. */
import { anId } from "@agent-platform/kernel/testing"
import { ApiKeyId, Keys } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { actor, ask, create, founded, keyActs, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

describe("revoking a key", () => {
  it.effect("answers the key, revoked now", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const revoked = yield* keys.revokeApiKey({ owner: inside, id: key.id, actor })
      assert.deepStrictEqual(revoked, { ...key, revokedAt: NOW, version: revoked.version })
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers the same, with the same time, however often it is asked", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const first = yield* keys.revokeApiKey({ owner: inside, id: key.id, actor })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* keys.revokeApiKey({ owner: inside, id: key.id, actor }), first)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported once, by the one who was first, and without anything of the value", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* keys.revokeApiKey({ owner: inside, id: key.id, actor })
      yield* keys.revokeApiKey({ owner: inside, id: key.id, actor: { ...actor, label: "somebody else" } })
      const [, revoked, ...more] = yield* keyActs(inside)
      assert.isEmpty(more)
      assert.deepInclude(revoked, {
        ...inside,
        action: "api_key.revoked",
        actor,
        summary: "deployer revoked the API key 'CI'",
        resourceId: key.id
      })
      assert.notInclude(JSON.stringify(revoked), Redacted.value(value).slice(-4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of a key of another owner, and leaves it as it is", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside, whole } = yield* founded
      const foreign = yield* founded
      const { key, value } = yield* create(inside)
      for (const owner of [whole, foreign.inside, foreign.whole]) {
        const refused = yield* Effect.flip(keys.revokeApiKey({ owner, id: key.id, actor }))
        assert.strictEqual(refused._tag, "ApiKeyNotFound")
      }
      const unknown = yield* Effect.flip(keys.revokeApiKey({ owner: inside, id: anId(ApiKeyId), actor }))
      assert.strictEqual(unknown._tag, "ApiKeyNotFound")
      yield* ask(value)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves the other keys of its owner in use", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const [one, two] = [yield* create(inside), yield* create(inside)]
      yield* keys.revokeApiKey({ owner: inside, id: one.key.id, actor })
      const { key } = yield* ask(two.value)
      assert.strictEqual(key.id, two.key.id)
    }).pipe(Effect.provide(memory))
  )
})
