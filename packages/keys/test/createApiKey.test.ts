/** Spec: API keys 1; Organization API keys 4; Limits 7. */
import type { IdempotencyRequest } from "@agent-platform/kernel"
import { Keys, ORGANIZATION_SCOPES, type Scope, WORKSPACE_SCOPES } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { aCreation, actor, ask, create, founded, grantor, keyActs, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const inHours = (hours: number) => DateTime.add(NOW, { hours })

const aRequest = (bodyHash = "a".repeat(64)): IdempotencyRequest => ({
  scope: "workspace",
  route: "POST /api/v1/auth/api-keys",
  key: "order-1",
  bodyHash
})

describe("creating a key", () => {
  it.effect("answers the key and its value, which authenticates", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside, workspace } = yield* founded
      const creator = grantor(WORKSPACE_SCOPES)
      const { key, value } = yield* create(inside, {
        creator,
        name: "CI",
        rateLimit: { limit: 600, windowSeconds: 60 },
        metadata: { team: "é" }
      })
      assert.deepStrictEqual(key, {
        ...inside,
        id: key.id,
        kind: "workspace",
        name: "CI",
        hint: `${Redacted.value(value).slice(0, 11)}…${Redacted.value(value).slice(-4)}`,
        scopes: WORKSPACE_SCOPES,
        organizationRole: null,
        allowedIps: [],
        rateLimit: { limit: 600, windowSeconds: 60 },
        metadata: { team: "é" },
        disabled: false,
        version: 1,
        createdAt: NOW,
        createdBy: creator.actor,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
        replacedBy: null,
        boundTo: null,
        reads: null
      })
      assert.deepStrictEqual(yield* ask(value), {
        key,
        workspaceId: workspace.id
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps nothing from which the value could be read again", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      const listed = yield* keys.listApiKeys({ owner: inside, page: { limit: 50, before: undefined } })
      assert.deepStrictEqual(listed.items, [{ ...key, status: "active" }])
      assert.notInclude(JSON.stringify(listed), Redacted.value(value).slice(11, -4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives every scope of its kind that the creator has, unless some are named", () =>
    Effect.gen(function* () {
      const { inside, whole } = yield* founded
      const everything = [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES]
      const few: ReadonlyArray<Scope> = ["runs:read", "keys:write", "org:admin"]
      assert.deepStrictEqual((yield* create(inside, { creator: grantor(everything) })).key.scopes, WORKSPACE_SCOPES)
      assert.deepStrictEqual((yield* create(whole, { creator: grantor(everything) })).key.scopes, everything)
      assert.deepStrictEqual((yield* create(inside, { creator: grantor(few) })).key.scopes, ["runs:read", "keys:write"])
      const named = yield* create(inside, { creator: grantor(few), scopes: ["runs:read"] })
      assert.deepStrictEqual(named.key.scopes, ["runs:read"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses scopes that the creator lacks, naming them", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const refused = yield* Effect.flip(
        create(inside, {
          creator: grantor(["runs:read", "keys:write"]),
          scopes: ["runs:read", "runs:write", "byok:write"]
        })
      )
      assert.deepInclude(refused, { _tag: "ScopeNotGrantable", scopes: ["runs:write", "byok:write"] })
      assert.isEmpty((yield* keys.listApiKeys({ owner: inside, page: { limit: 50, before: undefined } })).items)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a workspace key the scopes of an organization for every caller", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const refused = yield* Effect.flip(create(inside, { scopes: ["webhooks:write", "org:admin"] }))
      assert.deepInclude(refused, { _tag: "ScopeNotGrantable", scopes: ["webhooks:write", "org:admin"] })
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives a key no longer life than its creator's key has", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const creator = grantor(WORKSPACE_SCOPES, { expiresAt: inHours(24) })
      assert.deepStrictEqual((yield* create(inside, { creator })).key.expiresAt, inHours(24))
      assert.deepStrictEqual((yield* create(inside, { creator, expiresAt: inHours(24) })).key.expiresAt, inHours(24))
      assert.deepStrictEqual((yield* create(inside, { creator, expiresAt: inHours(1) })).key.expiresAt, inHours(1))
      const refused = yield* Effect.flip(create(inside, { creator, expiresAt: inHours(25) }))
      assert.strictEqual(refused._tag, "ExpiryNotGrantable")
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives a key no more networks than its creator's key has", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const creator = grantor(WORKSPACE_SCOPES, { allowedIps: ["10.0.0.0/8"] })
      assert.deepStrictEqual((yield* create(inside, { creator })).key.allowedIps, ["10.0.0.0/8"])
      const narrow = yield* create(inside, { creator, allowedIps: ["10.1.0.0/16"] })
      assert.deepStrictEqual(narrow.key.allowedIps, ["10.1.0.0/16"])
      for (const allowedIps of [[], ["10.0.0.0/7"], ["10.1.0.0/16", "192.0.2.1/32"]]) {
        const refused = yield* Effect.flip(create(inside, { creator, allowedIps }))
        assert.strictEqual(refused._tag, "AddressNotGrantable")
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets a person's session bound no key in time", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const creator = { actor, scopes: WORKSPACE_SCOPES, key: null, session: null, role: "member" as const }
      assert.isNull((yield* create(inside, { creator })).key.expiresAt)
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported in the activity feed, without anything of the value", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key, value } = yield* create(inside, { creator: grantor(["runs:read"]), idempotency: aRequest() })
      yield* Keys.use((keys) => keys.createApiKey(aCreation(inside, { idempotency: aRequest() })))
      const [created, ...more] = yield* keyActs(inside)
      assert.isEmpty(more)
      assert.deepInclude(created, {
        ...inside,
        action: "api_key.created",
        actor,
        summary: "deployer created the API key 'CI'",
        resourceType: "api_key",
        resourceId: key.id,
        payload: { name: "CI", kind: "workspace", scopes: ["runs:read"], expires_at: null, allowed_ips: [] }
      })
      assert.notInclude(JSON.stringify(created), Redacted.value(value).slice(-4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a key that would be expired already", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      for (const expiresAt of [NOW, inHours(-1)]) {
        assert.strictEqual((yield* Effect.flip(create(inside, { expiresAt })))._tag, "ExpiryNotGrantable")
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repeated request with the same key and without its value", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const creation = aCreation(inside, { idempotency: aRequest() })
      const first = yield* keys.createApiKey(creation)
      const second = yield* keys.createApiKey(creation)
      assert.isFalse(first.replayed)
      assert.isNotNull(first.value.value)
      assert.deepStrictEqual(second, { value: { key: first.value.key, value: null }, replayed: true })
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repeated request with the key as it is by now", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const creation = aCreation(inside, { idempotency: aRequest() })
      const { value } = yield* keys.createApiKey(creation)
      const revoked = yield* keys.revokeApiKey({ owner: inside, id: value.key.id, actor })
      assert.deepStrictEqual((yield* keys.createApiKey(creation)).value.key, revoked)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses an idempotency key that came before with another body", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      yield* create(inside, { idempotency: aRequest() })
      const refused = yield* Effect.flip(create(inside, { idempotency: aRequest("b".repeat(64)) }))
      assert.strictEqual(refused._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(memory))
  )

  it.effect("is judged by what the key that asks has by now, and not by what it had when it was recognised", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside, whole } = yield* founded
      const operator = grantor([...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES])
      const { key } = yield* create(whole, { creator: operator, scopes: [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES] })
      const recognised = { actor, scopes: key.scopes, key, session: null, role: null }
      const narrow = (...scopes: ReadonlyArray<Scope>) =>
        keys.updateApiKey({
          owner: whole,
          id: key.id,
          changer: operator,
          change: { scopes, allowedIps: ["10.0.0.0/8"] },
          ifVersion: undefined
        })
      yield* narrow("runs:read", "keys:write")
      const asked = (scopes: ReadonlyArray<Scope>) =>
        Effect.flip(keys.createApiKey(aCreation(inside, { creator: recognised, scopes })))
      assert.strictEqual((yield* asked(["runs:write"]))._tag, "ScopeNotGrantable")
      const given = yield* keys.createApiKey(aCreation(inside, { creator: recognised, scopes: ["runs:read"] }))
      assert.deepStrictEqual(given.value.key.allowedIps, ["10.0.0.0/8"])
      yield* narrow("runs:read")
      assert.strictEqual((yield* asked(["runs:read"]))._tag, "ScopeLost")
    }).pipe(Effect.provide(memory))
  )
})
