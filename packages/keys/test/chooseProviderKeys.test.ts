/** The choice of keys for calling a model. Most cases show that it fails closed. */
import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { type KeyFallback, type Provider, ProviderKeyStore, ProviderKeys } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { founded, KEY, memory, PLATFORM_BASE_URL, PLATFORM_KEY, stored } from "./providerKeySupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const later = (seconds: number) => DateTime.add(NOW, { seconds })

const choose = (
  { organizationId, workspaceId }: WorkspaceCaller,
  { model = "gpt-5", provider = "openai" }: { readonly model?: string; readonly provider?: Provider } = {}
) => ProviderKeys.use((keys) => keys.chooseProviderKeys({ organizationId, workspaceId, provider, model }))

const names = (caller: WorkspaceCaller, query: Parameters<typeof choose>[1] = {}) =>
  Effect.map(choose(caller, query), (candidates) => candidates.map(({ key, source }) => key?.name ?? source))

const missing = (caller: WorkspaceCaller, query: Parameters<typeof choose>[1] = {}) =>
  Effect.map(Effect.flip(choose(caller, query)), ({ reason }) => reason)

describe("choosing keys for a model", () => {
  it.effect("gives the workspace's keys opened, by priority and then the oldest first", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      yield* stored(yield* founded(), { name: "foreign" })
      yield* stored(caller, { name: "older" }, "sk-older")
      yield* stored(caller, { name: "younger" })
      yield* stored(caller, { name: "first", priority: 1 }, KEY)
      yield* stored(caller, { name: "google", provider: "google" })
      const candidates = yield* choose(caller)
      assert.deepStrictEqual(
        candidates.map(({ key }) => key?.name),
        ["first", "older", "younger"]
      )
      assert.deepInclude(candidates[0], { source: "byok", provider: "openai", baseUrl: null })
      assert.strictEqual(Redacted.value(candidates[0]!.value), KEY)
      assert.strictEqual(Redacted.value(candidates[1]!.value), "sk-older")
    }).pipe(Effect.provide(memory))
  )

  it.effect("puts keys that are limited behind those that are not, until the limit is over", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const caller = yield* founded()
      yield* stored(caller, { name: "exhausted", priority: 1, status: "quota_exhausted", limitedUntil: later(90) })
      yield* stored(caller, { name: "limited", priority: 2, status: "rate_limited", limitedUntil: later(60) })
      yield* stored(caller, { name: "unverified", priority: 4, status: "unverified" })
      yield* stored(caller, { name: "healthy", priority: 3 })
      assert.deepStrictEqual(yield* names(caller), ["healthy", "unverified", "limited", "exhausted"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* names(caller), ["limited", "healthy", "unverified", "exhausted"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* names(caller), ["exhausted", "limited", "healthy", "unverified"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("never gives a key that is invalid or revoked, or may not be used for the model", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const caller = yield* founded()
      assert.strictEqual(yield* missing(caller), "none")
      const key = yield* stored(caller, { name: "revoked" })
      yield* keys.revokeProviderKey({ caller, id: key.id })
      assert.strictEqual(yield* missing(caller), "none")
      yield* stored(caller, { status: "invalid" })
      assert.strictEqual(yield* missing(caller), "unusable")
      yield* stored(caller, { name: "mini", allowedModels: ["gpt-5-*"] })
      assert.strictEqual(yield* missing(caller, { model: "gpt-4o" }), "model")
      assert.deepStrictEqual(yield* names(caller, { model: "gpt-5-mini" }), ["mini"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives the address of a compatible server with its key", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const baseUrl = "https://models.example.com/v1"
      yield* stored(caller, { provider: "openai_compatible", baseUrl })
      const [candidate] = yield* choose(caller, { provider: "openai_compatible", model: "llama" })
      assert.strictEqual(candidate?.baseUrl, baseUrl)
    }).pipe(Effect.provide(memory))
  )
})

describe("the platform's key", () => {
  const NONE: ReadonlyArray<KeyFallback> = ["none"]
  const rows: ReadonlyArray<{
    readonly workspace: boolean
    readonly fallbacks: ReadonlyArray<KeyFallback>
    readonly serves: boolean
  }> = [
    { workspace: false, fallbacks: [], serves: false },
    { workspace: false, fallbacks: ["platform"], serves: false },
    { workspace: true, fallbacks: [], serves: true },
    { workspace: true, fallbacks: ["platform"], serves: true },
    { workspace: true, fallbacks: NONE, serves: false },
    { workspace: true, fallbacks: ["platform", "none"], serves: false },
    { workspace: true, fallbacks: ["platform", "platform"], serves: true }
  ]
  for (const { fallbacks, serves, workspace } of rows) {
    const given = `a workspace that is ${workspace ? "" : "not "}allowed it and has keys with fallback [${fallbacks}]`
    it.effect(`${serves ? "serves last" : "never serves"} for ${given}, whatever the state of its keys`, () =>
      Effect.gen(function* () {
        for (const status of ["active", "invalid"] as const) {
          const caller = yield* founded({ allowPlatformKeys: workspace })
          for (const fallback of fallbacks) yield* stored(caller, { fallback, status })
          const candidates = yield* Effect.orElseSucceed(choose(caller), () => [])
          const own = status === "active" ? fallbacks.map(() => "byok") : []
          assert.deepStrictEqual(
            candidates.map(({ source }) => source),
            [...own, ...(serves ? ["platform"] : [])]
          )
          if (serves) assert.strictEqual(Redacted.value(candidates.at(-1)!.value), PLATFORM_KEY)
        }
      }).pipe(Effect.provide(memory))
    )
  }

  it.effect("never serves beside a key that says none for another model, nor for another provider", () =>
    Effect.gen(function* () {
      const caller = yield* founded({ allowPlatformKeys: true })
      yield* stored(caller, { fallback: "none", allowedModels: ["gpt-4o"] })
      assert.strictEqual(yield* missing(caller), "model")
      assert.strictEqual(yield* missing(caller, { provider: "anthropic", model: "claude" }), "none")
    }).pipe(Effect.provide(memory))
  )

  it.effect("serves again once the keys that say none are revoked", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const caller = yield* founded({ allowPlatformKeys: true })
      const key = yield* stored(caller, { fallback: "none", status: "invalid" })
      assert.strictEqual(yield* missing(caller), "unusable")
      yield* keys.revokeProviderKey({ caller, id: key.id })
      assert.deepStrictEqual(yield* names(caller), ["platform"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("comes with the address that it is for, whatever those of the workspace's keys are", () =>
    Effect.gen(function* () {
      const caller = yield* founded({ allowPlatformKeys: true })
      const baseUrl = "https://their-own.openai.azure.com/openai/v1"
      yield* stored(caller, { provider: "azure", baseUrl, fallback: "platform" })
      const candidates = yield* choose(caller, { provider: "azure", model: "gpt-4o" })
      assert.deepStrictEqual(
        candidates.map((candidate) => [candidate.source, candidate.baseUrl]),
        [
          ["byok", baseUrl],
          ["platform", PLATFORM_BASE_URL]
        ]
      )
      const [openai] = yield* choose(caller, { provider: "openai", model: "gpt-4o" })
      assert.deepInclude(openai, { source: "platform", baseUrl: null })
    }).pipe(Effect.provide(memory))
  )

  it.effect("does not step in for a key that cannot be opened", () =>
    Effect.gen(function* () {
      const store = yield* ProviderKeyStore
      const caller = yield* founded({ allowPlatformKeys: true })
      const key = yield* stored(caller, { fallback: "platform" })
      yield* atomic(store.update(caller.workspaceId, key.id, (now) => ({ key: now, sealed: "altered" })))
      assert.strictEqual(yield* missing(caller), "unreadable")
      yield* stored(caller, { name: "readable", fallback: "platform" })
      assert.deepStrictEqual(yield* names(caller), ["readable"])
    }).pipe(Effect.provide(memory))
  )
})
