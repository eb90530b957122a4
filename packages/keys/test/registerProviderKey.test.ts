import { type IdempotencyRequest, SecretBox } from "@agent-platform/kernel"
import { ProviderKeyStore, ProviderKeys, providerKeyPlace } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { answer, aRegistration, founded, KEY, kept, memory, register, reported } from "./providerKeySupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

const aRequest = (bodyHash = "a".repeat(64)): IdempotencyRequest => ({
  scope: "workspace",
  route: "POST /api/v1/byok/openai",
  key: "order-1",
  bodyHash
})

describe("registering a provider key", () => {
  it.effect("asks the provider, keeps the key sealed for its place, and records who did it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const box = yield* SecretBox
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const key = yield* register(caller, { allowedModels: ["gpt-5", "gpt-5"] })
      assert.deepStrictEqual(probe.questions, [{ provider: "openai", baseUrl: null, key: Redacted.make(KEY) }])
      assert.deepInclude(key, {
        organizationId: caller.organizationId,
        workspaceId: caller.workspaceId,
        status: "active",
        allowedModels: ["gpt-5"],
        createdBy: caller.actor
      })
      assert.deepStrictEqual(key.lastValidatedAt, NOW)
      const found = yield* ProviderKeyStore.use((store) => store.findSealed(caller.workspaceId, key.id))
      assert.strictEqual(Redacted.value(yield* box.open(providerKeyPlace(key), found?.sealed ?? "")), KEY)
      const { activity } = yield* reported
      assert.deepInclude(activity[0], {
        action: "byok_key.registered",
        actor: caller.actor,
        workspaceId: caller.workspaceId,
        resourceType: "byok_key",
        resourceId: key.id
      })
      assert.notInclude(JSON.stringify(activity), KEY.slice(4, -4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps nothing of a key that its provider refuses", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      yield* answer({ type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" })
      const refused = yield* Effect.flip(register(caller))
      assert.deepInclude(refused, {
        _tag: "ProviderRejectedKey",
        providerStatus: 401,
        providerCode: "invalid_api_key"
      })
      const { items } = yield* ProviderKeys.use((keys) =>
        keys.listProviderKeys({ caller, page: { limit: 50, before: undefined } })
      )
      assert.isEmpty(items)
      assert.isEmpty((yield* reported).activity)
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps a key that its provider limits, in that state", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      yield* answer({ type: "quota_exhausted", providerStatus: 429, providerCode: "insufficient_quota" })
      assert.strictEqual((yield* register(caller)).status, "quota_exhausted")
      yield* answer({ type: "unsupported", providerStatus: 404, providerCode: null })
      assert.strictEqual((yield* register(caller)).status, "unverified")
    }).pipe(Effect.provide(memory))
  )

  it.effect("asks nobody when the caller wants that", () =>
    Effect.gen(function* () {
      const probe = yield* MemoryProviderProbe
      const key = yield* register(yield* founded(), { validate: false })
      assert.deepInclude(key, { status: "unverified", lastValidatedAt: null, lastError: null })
      assert.isEmpty(probe.questions)
    }).pipe(Effect.provide(memory))
  )

  it.effect("sends a key nowhere that is not public", () =>
    Effect.gen(function* () {
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const inward = { provider: "openai_compatible", baseUrl: "https://models.internal/v1" } as const
      assert.strictEqual((yield* Effect.flip(register(caller, inward)))._tag, "UrlNotPublic")
      const missing = { provider: "openai_compatible", baseUrl: null } as const
      assert.deepInclude(yield* Effect.flip(register(caller, missing)), { _tag: "BaseUrlMisplaced", missing: true })
      const elsewhere = { provider: "google", baseUrl: "https://evil.example.com" } as const
      assert.deepInclude(yield* Effect.flip(register(caller, elsewhere)), { _tag: "BaseUrlMisplaced", missing: false })
      assert.isEmpty(probe.questions)
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repetition with the key as it is by now, and asks nobody again", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const registration = aRegistration(caller, { idempotency: aRequest() })
      const first = yield* keys.registerProviderKey(registration)
      assert.isFalse(first.replayed)
      const revoked = yield* keys.revokeProviderKey({ caller, id: first.value.id })
      yield* answer({ type: "rejected", providerStatus: 401, providerCode: null })
      const again = yield* keys.registerProviderKey(registration)
      assert.deepStrictEqual(again, { value: revoked, replayed: true })
      assert.strictEqual(probe.questions.length, 1)
      const other = { ...registration, idempotency: aRequest("b".repeat(64)) }
      assert.strictEqual((yield* Effect.flip(keys.registerProviderKey(other)))._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(memory))
  )
})

describe("revoking a provider key", () => {
  it.effect("erases its value, and is recorded once however often it is done", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const store = yield* ProviderKeyStore
      const caller = yield* founded()
      const key = yield* register(caller)
      const first = yield* keys.revokeProviderKey({ caller, id: key.id })
      assert.deepStrictEqual(yield* keys.revokeProviderKey({ caller, id: key.id }), first)
      assert.deepStrictEqual(yield* kept(key), first)
      assert.isUndefined(yield* store.findSealed(caller.workspaceId, key.id))
      const { activity } = yield* reported
      assert.deepStrictEqual(
        activity.map(({ action }) => action),
        ["byok_key.registered", "byok_key.revoked"]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of a key of another workspace", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const key = yield* register(yield* founded())
      const refused = yield* Effect.flip(keys.revokeProviderKey({ caller: yield* founded(), id: key.id }))
      assert.strictEqual(refused._tag, "ProviderKeyNotFound")
      assert.deepStrictEqual(yield* kept(key), key)
    }).pipe(Effect.provide(memory))
  )
})
