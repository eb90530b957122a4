/** Spec: API keys 1; Organization API keys 4; Limits, secret visibility. */
import type { IdempotencyRequest } from "@agent-platform/kernel"
import { Keys, ORGANIZATION_SCOPES, type Scope, WORKSPACE_SCOPES } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { aCreation, create, founded, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const inHours = (hours: number) => DateTime.add(NOW, { hours })

const aRequest = (bodyHash = "a".repeat(64)): IdempotencyRequest => ({
  scope: "workspace",
  route: "POST /api/v1/auth/api-keys",
  key: "order-1",
  bodyHash
})

const creatorWith = (scopes: ReadonlyArray<Scope>, expiresAt: DateTime.Utc | null = null) => ({
  actor: { type: "user" as const, id: "01a1fd31-ae8a-73b5-8d35-ead780a3b245", label: "deployer" },
  scopes,
  expiresAt
})

describe("creating a key", () => {
  it.effect("answers the key and its value, which opens the door", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const keys = yield* Keys
      const { inside, workspace } = yield* founded
      const creator = creatorWith(WORKSPACE_SCOPES)
      const { key, value } = yield* create(inside, { creator, name: "CI", metadata: { team: "é" } })
      assert.deepStrictEqual(key, {
        ...inside,
        id: key.id,
        kind: "workspace",
        name: "CI",
        hint: `${Redacted.value(value).slice(0, 11)}…${Redacted.value(value).slice(-4)}`,
        scopes: WORKSPACE_SCOPES,
        metadata: { team: "é" },
        disabled: false,
        version: 1,
        createdAt: NOW,
        createdBy: creator.actor,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null
      })
      assert.deepStrictEqual(yield* keys.authenticate({ credential: value, workspaceId: undefined }), {
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
      assert.deepStrictEqual(listed.items, [key])
      assert.notInclude(JSON.stringify(listed), Redacted.value(value).slice(11, -4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives every scope of its kind that the creator has, unless some are named", () =>
    Effect.gen(function* () {
      const { inside, whole } = yield* founded
      const everything = [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES]
      const few: ReadonlyArray<Scope> = ["runs:read", "keys:write", "org:admin"]
      assert.deepStrictEqual((yield* create(inside, { creator: creatorWith(everything) })).key.scopes, WORKSPACE_SCOPES)
      assert.deepStrictEqual((yield* create(whole, { creator: creatorWith(everything) })).key.scopes, everything)
      assert.deepStrictEqual((yield* create(inside, { creator: creatorWith(few) })).key.scopes, [
        "runs:read",
        "keys:write"
      ])
      const named = yield* create(inside, { creator: creatorWith(few), scopes: ["runs:read"] })
      assert.deepStrictEqual(named.key.scopes, ["runs:read"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses scopes that the creator lacks, naming them", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const refused = yield* Effect.flip(
        create(inside, {
          creator: creatorWith(["runs:read", "keys:write"]),
          scopes: ["runs:read", "runs:write", "byok:write"]
        })
      )
      assert.deepInclude(refused, { _tag: "ScopeNotGrantable", scopes: ["runs:write", "byok:write"] })
      assert.isEmpty((yield* keys.listApiKeys({ owner: inside, page: { limit: 50, before: undefined } })).items)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a workspace key the scopes of an organization, whoever makes it", () =>
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
      const creator = creatorWith(WORKSPACE_SCOPES, inHours(24))
      assert.deepStrictEqual((yield* create(inside, { creator })).key.expiresAt, inHours(24))
      assert.deepStrictEqual((yield* create(inside, { creator, expiresAt: inHours(24) })).key.expiresAt, inHours(24))
      assert.deepStrictEqual((yield* create(inside, { creator, expiresAt: inHours(1) })).key.expiresAt, inHours(1))
      const refused = yield* Effect.flip(create(inside, { creator, expiresAt: inHours(25) }))
      assert.strictEqual(refused._tag, "ExpiryNotGrantable")
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
      const revoked = yield* keys.revokeApiKey({ owner: inside, id: value.key.id })
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
})
