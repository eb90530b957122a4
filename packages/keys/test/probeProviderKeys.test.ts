/** Probing keys by the clock, without a run. */
import { atomic } from "@agent-platform/kernel"
import { ProviderKeyStore, ProviderKeys } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { answer, founded, kept, memory, register, reported, stored } from "./providerKeySupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const REFUSED = { type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" } as const

describe("asking about every key", () => {
  const probeAll = ProviderKeys.use((keys) => keys.probeProviderKeys())

  it.effect("changes states, notifies people, and reports byok.invalid once, which names no run", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const dead = yield* stored(caller)
      yield* answer(REFUSED)
      assert.deepInclude(yield* probeAll, { asked: 1, invalidated: 1 })
      assert.strictEqual((yield* kept(dead)).status, "invalid")
      assert.deepInclude(yield* probeAll, { asked: 1, invalidated: 0 })
      yield* answer({ type: "accepted" })
      assert.deepInclude(yield* probeAll, { asked: 1, recovered: 1 })
      const { activity, events, notices } = yield* reported
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["byok.invalid"]
      )
      assert.deepInclude(JSON.parse(events[0]?.data ?? ""), {
        key_id: dead.id,
        run_id: null,
        session_id: null,
        provider_status: 401,
        provider_code: "invalid_api_key"
      })
      assert.strictEqual(notices.length, 1)
      assert.deepStrictEqual(
        activity.map(({ action }) => action),
        ["byok_key.invalidated", "byok_key.recovered"]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("reaches every key of every workspace across pages, a few at a time, but none that is revoked", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const probe = yield* MemoryProviderProbe
      const callers = [yield* founded(), yield* founded()]
      for (const caller of callers) for (let count = 0; count < 60; count++) yield* stored(caller)
      const gone = yield* stored(callers[0]!)
      yield* keys.revokeProviderKey({ caller: callers[0]!, id: gone.id })
      let atOnce = 0
      let most = 0
      probe.answerWith(() =>
        Effect.gen(function* () {
          most = Math.max(most, ++atOnce)
          yield* Effect.yieldNow
          atOnce--
          return { type: "accepted" as const }
        })
      )
      assert.deepInclude(yield* probeAll, { asked: 120 })
      assert.isAtMost(most, 8)
      assert.isAtLeast(most, 2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("passes over keys that served or were accepted lately", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const caller = yield* founded()
      yield* stored(caller, { lastUsedAt: DateTime.subtract(NOW, { hours: 4 }) })
      yield* stored(caller, { lastValidatedAt: DateTime.subtract(NOW, { hours: 4 }) })
      yield* stored(caller, { lastUsedAt: DateTime.subtract(NOW, { hours: 6 }) })
      yield* stored(caller, { status: "invalid", lastUsedAt: NOW })
      assert.deepInclude(yield* probeAll, { asked: 2, fresh: 2 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes fingerprints that are missing, of keys that nobody is asked about as well", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const caller = yield* founded()
      const { fingerprint } = yield* register(caller)
      const fresh = yield* stored(caller, { fingerprint: "", lastUsedAt: NOW })
      const asked = yield* stored(caller, { fingerprint: "", status: "invalid" })
      const another = yield* stored(caller, { fingerprint: "" }, "another key of the workspace")
      yield* answer({ type: "accepted" })
      assert.deepInclude(yield* probeAll, { asked: 2, fresh: 2, recovered: 1 })
      assert.deepStrictEqual(yield* kept(fresh), { ...fresh, fingerprint })
      assert.deepInclude(yield* kept(asked), { fingerprint, status: "active", version: asked.version })
      assert.match((yield* kept(another)).fingerprint, /^[0-9a-f]{16}$/)
      assert.notStrictEqual((yield* kept(another)).fingerprint, fingerprint)
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves keys as they are that cannot be asked about or opened, and goes on", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const caller = yield* founded()
      const locked = yield* stored(caller)
      yield* atomic(store.update(caller.workspaceId, locked.id, (now) => ({ key: now, sealed: "altered" })))
      const key = yield* stored(caller)
      yield* answer({ type: "unreachable", providerStatus: null, providerCode: null })
      assert.deepInclude(yield* probeAll, { asked: 1, undecided: 1, unreadable: 1 })
      assert.deepStrictEqual(yield* kept(key), key)
    }).pipe(Effect.provide(memory))
  )
})
