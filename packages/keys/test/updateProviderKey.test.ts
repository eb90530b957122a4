import { SecretBox } from "@agent-platform/kernel"
import { type ProviderKey, ProviderKeyStore, ProviderKeys, providerKeyPlace } from "@agent-platform/keys"
import { MemoryProviderProbe } from "@agent-platform/keys/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { answer, founded, kept, memory, register, reported, stored } from "./providerKeySupport.ts"

const FRESH = "sk-proj-ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210"
const REFUSED = { type: "rejected", providerStatus: 401, providerCode: "invalid_api_key" } as const

const valueOf = (key: ProviderKey) =>
  Effect.gen(function* () {
    const found = yield* ProviderKeyStore.use((store) => store.findSealed(key.workspaceId, key.id))
    if (found === undefined) return undefined
    return Redacted.value(yield* SecretBox.use((box) => box.open(providerKeyPlace(key), found.sealed)))
  })

const update = (
  caller: Effect.Success<ReturnType<typeof founded>>,
  key: Pick<ProviderKey, "id">,
  change: Parameters<ProviderKeys["Service"]["updateProviderKey"]>[0]["change"],
  options: { readonly ifVersion?: number; readonly validate?: boolean } = {}
) =>
  ProviderKeys.use((keys) =>
    keys.updateProviderKey({
      caller,
      id: key.id,
      change,
      ifVersion: options.ifVersion,
      validate: options.validate ?? true
    })
  )

describe("changing a provider key", () => {
  it.effect("changes what is named and counts and records the change, and nothing where nothing changes", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const key = yield* register(caller)
      const changed = yield* update(caller, key, { priority: 1, allowedModels: ["gpt-5"], name: key.name })
      assert.deepStrictEqual(changed, { ...key, priority: 1, allowedModels: ["gpt-5"], version: 2 })
      assert.deepStrictEqual(yield* update(caller, key, { priority: 1, allowedModels: ["gpt-5"] }), changed)
      const entries = (yield* reported).activity.filter(({ action }) => action === "byok_key.updated")
      assert.strictEqual(entries.length, 1)
      assert.deepStrictEqual(entries[0]?.payload["changed"], ["priority", "allowed_models"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets one of two win who have seen the same version", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const key = yield* register(caller)
      yield* update(caller, key, { name: "One" }, { ifVersion: 1 })
      const refused = yield* Effect.flip(update(caller, key, { name: "Two" }, { ifVersion: 1 }))
      assert.deepInclude(refused, { _tag: "ProviderKeyChanged", version: 2 })
      assert.strictEqual((yield* kept(key)).name, "One")
    }).pipe(Effect.provide(memory))
  )

  it.effect("puts a new value in the place of the old one once the provider takes it", () =>
    Effect.gen(function* () {
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const key = yield* stored(caller, { status: "invalid" })
      const changed = yield* update(caller, key, { value: Redacted.make(FRESH) })
      assert.deepInclude(changed, { status: "active", hint: "sk-p…3210", version: 2, lastError: null })
      assert.notStrictEqual(changed.fingerprint, key.fingerprint)
      assert.strictEqual(yield* valueOf(key), FRESH)
      assert.deepStrictEqual(probe.questions.at(-1)?.key, Redacted.make(FRESH))
      assert.notInclude(JSON.stringify((yield* reported).activity), FRESH.slice(4, -4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves everything as it was when the provider refuses the new value", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const key = yield* register(caller)
      const before = yield* valueOf(key)
      yield* answer(REFUSED)
      const refused = yield* Effect.flip(update(caller, key, { name: "New", value: Redacted.make(FRESH) }))
      assert.strictEqual(refused._tag, "ProviderRejectedKey")
      assert.deepStrictEqual(yield* kept(key), key)
      assert.strictEqual(yield* valueOf(key), before)
    }).pipe(Effect.provide(memory))
  )

  it.effect("takes a new value unasked when the caller wants that, as unverified", () =>
    Effect.gen(function* () {
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const key = yield* stored(caller, { status: "invalid" })
      const changed = yield* update(caller, key, { value: Redacted.make(FRESH) }, { validate: false })
      assert.strictEqual(changed.status, "unverified")
      assert.isEmpty(probe.questions)
    }).pipe(Effect.provide(memory))
  )

  it.effect("restores nothing that is revoked, not even when the revocation comes while the provider is asked", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const key = yield* register(caller)
      probe.answerWith(() =>
        Effect.as(Effect.orDie(keys.revokeProviderKey({ caller, id: key.id })), { type: "accepted" as const })
      )
      const refused = yield* Effect.flip(update(caller, key, { value: Redacted.make(FRESH) }))
      assert.strictEqual(refused._tag, "ProviderKeyRevoked")
      assert.isUndefined(yield* valueOf(key))
      assert.strictEqual((yield* Effect.flip(update(caller, key, { name: "Back" })))._tag, "ProviderKeyRevoked")
    }).pipe(Effect.provide(memory))
  )
})

describe("checking a provider key", () => {
  const validate = (caller: Effect.Success<ReturnType<typeof founded>>, key: ProviderKey) =>
    ProviderKeys.use((keys) => keys.validateProviderKey({ caller, id: key.id }))

  it.effect("asks about the value that is kept, and answers what came of it, without an event", () =>
    Effect.gen(function* () {
      const caller = yield* founded()
      const key = yield* register(caller)
      yield* answer(REFUSED)
      assert.strictEqual((yield* validate(caller, key)).status, "invalid")
      yield* answer({ type: "accepted" })
      assert.strictEqual((yield* validate(caller, key)).status, "active")
      yield* answer({ type: "unreachable", providerStatus: null, providerCode: null })
      assert.strictEqual((yield* validate(caller, key)).lastError?.code, "unreachable")
      const { activity, events } = yield* reported
      assert.isEmpty(events)
      // The record says what came of it: a provider that was not reached has checked nothing.
      assert.match(activity.at(-2)?.summary ?? "", / asked about the provider key .*: the provider takes it$/)
      assert.match(activity.at(-1)?.summary ?? "", /: the provider could not be reached$/)
      assert.deepStrictEqual(
        activity.map(({ action, payload }) => `${action} ${payload["outcome"] ?? ""}`.trim()),
        [
          "byok_key.registered",
          "byok_key.validated rejected",
          "byok_key.validated accepted",
          "byok_key.validated unreachable"
        ]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("says nothing about a value that has taken the place of the one that was asked about", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const probe = yield* MemoryProviderProbe
      const caller = yield* founded()
      const key = yield* register(caller)
      const renew = Effect.orDie(update(caller, key, { value: Redacted.make(FRESH) }))
      probe.answerWith(({ key: value }) =>
        Redacted.value(value) === FRESH
          ? Effect.succeed({ type: "accepted" })
          : Effect.as(Effect.provideService(renew, ProviderKeys, keys), REFUSED)
      )
      assert.strictEqual((yield* validate(caller, key)).status, "active")
      assert.strictEqual((yield* kept(key)).status, "active")
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows no revoked key and none of another workspace", () =>
    Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const caller = yield* founded()
      const key = yield* register(caller)
      assert.strictEqual((yield* Effect.flip(validate(yield* founded(), key)))._tag, "ProviderKeyNotFound")
      yield* keys.revokeProviderKey({ caller, id: key.id })
      assert.strictEqual((yield* Effect.flip(validate(caller, key)))._tag, "ProviderKeyRevoked")
    }).pipe(Effect.provide(memory))
  )
})
