/** Spec: API keys 8 and 9. */
import { anId } from "@agent-platform/kernel/testing"
import {
  type ApiKey,
  type ApiKeyChange,
  ApiKeyId,
  ApiKeyStore,
  Keys,
  scopesOfKind,
  type UpdateApiKey,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { updateApiKey } from "../src/use-cases/api-keys/updateApiKey.ts"
import { actor, ask, create, founded, grantor, keyActs, memory, present, storedKey } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const inHours = (hours: number) => DateTime.add(NOW, { hours })

const anUpdate = (key: ApiKey, change: ApiKeyChange, override: Partial<UpdateApiKey> = {}): UpdateApiKey => ({
  owner: key,
  id: key.id,
  change,
  changer: { actor, scopes: scopesOfKind("organization"), key: null, session: null, role: null },
  ifVersion: undefined,
  ...override
})

const update = Effect.fnUntraced(function* (...args: Parameters<typeof anUpdate>) {
  const keys = yield* Keys
  const command = anUpdate(...args)
  yield* present(command.owner, command.changer)
  return yield* keys.updateApiKey(command)
})

describe("changing a key", () => {
  it.effect("changes what is named and nothing else, one version on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key } = yield* create(inside, { metadata: { team: "blue" } })
      const change: ApiKeyChange = {
        name: "other",
        scopes: ["runs:read", "runs:read"],
        expiresAt: inHours(1),
        allowedIps: ["203.0.113.7/32"],
        rateLimit: { limit: 5, windowSeconds: 1 }
      }
      const after = yield* update(key, change)
      assert.deepStrictEqual(after, { ...key, ...change, scopes: ["runs:read"], version: 2 })
      const cleared = yield* update(after, { expiresAt: null, allowedIps: [], rateLimit: null, metadata: {} })
      const open = { expiresAt: null, allowedIps: [], rateLimit: null, metadata: {}, version: 3 }
      assert.deepStrictEqual(cleared, { ...after, ...open })
    }).pipe(Effect.provide(memory))
  )

  it.effect("holds on the very next request: a key that is switched off is refused until it is on again", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* update(key, { disabled: true })
      assert.deepInclude(yield* Effect.flip(ask(value)), { reason: "disabled" })
      yield* update(key, { disabled: false })
      assert.strictEqual((yield* ask(value)).key.version, 3)
    }).pipe(Effect.provide(memory))
  )

  it.effect("to what it is already changes nothing and reports nothing", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key } = yield* create(inside, { metadata: { team: "blue" } })
      const same = { name: key.name, scopes: key.scopes, metadata: key.metadata, disabled: false }
      for (const change of [{}, same]) assert.deepStrictEqual(yield* update(key, change), key)
      assert.strictEqual((yield* keyActs(inside)).length, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported in the activity feed with the names of what was changed", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      yield* update(key, { name: "other", metadata: { token: "hush" } })
      const [, updated] = yield* keyActs(inside)
      assert.deepInclude(updated, {
        ...inside,
        action: "api_key.updated",
        actor,
        summary: "deployer updated the API key 'other'",
        resourceId: key.id,
        payload: {
          name: "other",
          kind: "workspace",
          scopes: key.scopes,
          expires_at: null,
          allowed_ips: [],
          changed: ["metadata", "name"],
          version: 2
        }
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused when the key is at another version than the one named", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      yield* update(key, { name: "two" }, { ifVersion: 1 })
      const refused = yield* Effect.flip(update(key, { name: "three" }, { ifVersion: 1 }))
      assert.deepInclude(refused, { _tag: "ApiKeyVersionConflict", version: 2 })
      assert.strictEqual((yield* update(key, { name: "three" }, { ifVersion: 2 })).version, 3)
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps what somebody else changed in between", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      // Between the reading and the writing somebody else is faster, twice.
      let others = 2
      const layer = Layer.succeed(ApiKeyStore, {
        ...store,
        find: (owner, id) =>
          Effect.tap(store.find(owner, id), (found) => {
            if (others-- <= 0 || found === undefined) return Effect.void
            return store.replace({ ...found, version: found.version + 1, metadata: { [`other${others}`]: "was here" } })
          }) as never
      })
      const after = yield* updateApiKey(anUpdate(key, { name: "mine" })).pipe(Effect.provide(layer))
      assert.deepInclude(after, { name: "mine", metadata: { other0: "was here" }, version: 4 })
      others = 1
      const strict = updateApiKey(anUpdate(key, { name: "strict" }, { ifVersion: 4 })).pipe(Effect.provide(layer))
      assert.deepInclude(yield* Effect.flip(strict), { _tag: "ApiKeyVersionConflict", version: 5 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("loses nothing of twenty changes at once", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const changes: ReadonlyArray<ApiKeyChange> = [
        { name: "other" },
        { scopes: ["runs:read"] },
        { rateLimit: { limit: 1, windowSeconds: 1 } },
        { metadata: { team: "blue" } }
      ]
      yield* Effect.forEach(changes, (change) => update(key, change), { concurrency: "unbounded" })
      const after = yield* store.find(inside, key.id)
      assert.deepInclude(after, { ...Object.assign({}, ...changes), version: 5 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused once the key is revoked, expired or rotating", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const states = [
        ["revoked", { revokedAt: NOW }],
        ["expired", { expiresAt: NOW }],
        ["rotating", { replacedBy: anId(ApiKeyId) }],
        ["rotating", { replacedBy: anId(ApiKeyId), disabled: true }]
      ] as const
      for (const [status, state] of states) {
        const { key } = yield* storedKey(inside, state)
        const refused = yield* Effect.flip(update(key, { name: "other" }))
        assert.deepInclude(refused, { _tag: "ApiKeySettled", status })
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused to who lacks a scope of the key, and to who would give what it lacks", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key } = yield* create(inside, { scopes: ["runs:read", "byok:write"] })
      const changer = grantor(["runs:read", "keys:write"])
      const stranger = yield* Effect.flip(update(key, { name: "other" }, { changer }))
      assert.deepInclude(stranger, { _tag: "ScopeNotGrantable", scopes: ["byok:write"] })
      const { key: small } = yield* create(inside, { scopes: ["runs:read"] })
      const greedy = yield* Effect.flip(update(small, { scopes: ["runs:write"] }, { changer }))
      assert.deepInclude(greedy, { _tag: "ScopeNotGrantable", scopes: ["runs:write"] })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused when the key would outlive the key that asks, or be usable from elsewhere", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const short = grantor(WORKSPACE_SCOPES, { expiresAt: inHours(1) })
      assert.strictEqual(
        (yield* Effect.flip(update(key, { name: "x" }, { changer: short })))._tag,
        "ExpiryNotGrantable"
      )
      assert.strictEqual((yield* update(key, { expiresAt: inHours(1) }, { changer: short })).version, 2)
      const bound = grantor(WORKSPACE_SCOPES, { allowedIps: ["10.0.0.0/8"] })
      const wide = yield* Effect.flip(update(key, { allowedIps: ["10.0.0.0/7"] }, { changer: bound }))
      assert.strictEqual(wide._tag, "AddressNotGrantable")
      const past = yield* Effect.flip(update(key, { expiresAt: NOW }))
      assert.strictEqual(past._tag, "ExpiryNotGrantable")
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of a key of another owner", () =>
    Effect.gen(function* () {
      const { inside, whole } = yield* founded
      const foreign = yield* founded
      const { key } = yield* create(inside)
      for (const owner of [whole, foreign.inside, foreign.whole]) {
        const refused = yield* Effect.flip(update(key, { name: "x" }, { owner }))
        assert.strictEqual(refused._tag, "ApiKeyNotFound")
      }
    }).pipe(Effect.provide(memory))
  )
})
