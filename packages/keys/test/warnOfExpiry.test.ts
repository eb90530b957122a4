/** The notice `api_key.expiring`. Spec: Notification item. */
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Keys, warnOfExpiry } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { create, founded, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

const noticesNow = Effect.flatMap(MemoryDatabase, (database) => feedTables(database).notification.all)

describe("warning of keys that expire", () => {
  const at = Effect.fnUntraced(function* (time: DateTime.Utc) {
    yield* TestClock.setTime(time.epochMilliseconds)
  })

  it.effect("posts a notice to the key's workspace a week ahead, without the key's value", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { inside } = yield* founded
      const expiresAt = DateTime.add(NOW, { days: 30 })
      const { key } = yield* create(inside, { expiresAt })
      assert.strictEqual(yield* warnOfExpiry(), 0)
      yield* at(DateTime.add(NOW, { days: 24 }))
      assert.strictEqual(yield* warnOfExpiry(), 1)
      const [notice, ...more] = yield* noticesNow
      assert.isEmpty(more)
      assert.deepInclude(notice, {
        ...inside,
        type: "api_key.expiring",
        title: "The API key 'CI' expires on 2026-12-21",
        payload: { key_id: key.id, name: "CI", hint: key.hint, expires_at: "2026-12-21T12:00:00.250Z" }
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("reaches every workspace where the key is the organization's", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { whole } = yield* founded
      yield* create(whole, { expiresAt: DateTime.add(NOW, { days: 3 }) })
      assert.strictEqual(yield* warnOfExpiry(), 1)
      assert.deepInclude((yield* noticesNow)[0], whole)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is done once for a key and its expiry, however often and by however many", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key } = yield* create(inside, { expiresAt: DateTime.add(NOW, { days: 3 }) })
      const counts = yield* Effect.forEach(Array.from({ length: 5 }), () => warnOfExpiry(), {
        concurrency: "unbounded"
      })
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count),
        1
      )
      yield* keys.revokeApiKey({ owner: inside, id: key.id, actor: { type: "user", id: "1", label: "a key" } })
      assert.strictEqual(yield* warnOfExpiry(), 0)
      assert.strictEqual((yield* noticesNow).length, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves out keys that are made for a day at most", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { inside } = yield* founded
      yield* create(inside, { expiresAt: DateTime.add(NOW, { hours: 24 }) })
      assert.strictEqual(yield* warnOfExpiry(), 0)
    }).pipe(Effect.provide(memory))
  )

  it.effect("goes on until every key is warned of", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { inside } = yield* founded
      for (let index = 0; index < 203; index++) yield* create(inside, { expiresAt: DateTime.add(NOW, { days: 3 }) })
      assert.strictEqual(yield* warnOfExpiry(), 203)
    }).pipe(Effect.provide(memory))
  )
})
