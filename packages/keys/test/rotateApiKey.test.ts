/** Rotation. Spec: API keys 9. */
import type { IdempotencyRequest } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import {
  type ApiKey,
  ApiKeyId,
  Keys,
  platformScopes,
  type RotateApiKey,
  scopesOfKind,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { actor, ask, create, founded, grantor, keyActs, memory, present, storedKey } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const inSeconds = (seconds: number) => DateTime.add(NOW, { seconds })

const rotate = Effect.fnUntraced(function* (key: ApiKey, override: Partial<RotateApiKey> = {}) {
  const keys = yield* Keys
  const rotator = override.rotator ?? grantor(scopesOfKind("organization"))
  const command = { owner: key, id: key.id, graceSeconds: 0, idempotency: undefined, ...override, rotator }
  yield* present(command.owner, rotator)
  return yield* keys.rotateApiKey(command)
})

const aRequest: IdempotencyRequest = { scope: "workspace", route: "POST rotate", key: "k", bodyHash: "a".repeat(64) }

const valueOf = ({ value }: { readonly value: Redacted.Redacted | null }) => value ?? Redacted.make("")

describe("rotating a key", () => {
  it.effect("makes a key that is the same in everything but its value, its id and its age", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key } = yield* create(inside, {
        scopes: ["runs:read"],
        expiresAt: inSeconds(86_400),
        allowedIps: ["203.0.113.7/32"],
        rateLimit: { limit: 5, windowSeconds: 1 },
        metadata: { team: "blue" }
      })
      yield* TestClock.adjust("10 seconds")
      const { value: rotated } = yield* rotate(key, { graceSeconds: 60 })
      const { id, hint } = rotated.key
      assert.deepStrictEqual(rotated.key, { ...key, id, hint, createdAt: inSeconds(10), createdBy: actor })
      assert.notStrictEqual(hint, key.hint)
      assert.deepStrictEqual(rotated.old, { ...key, replacedBy: id, expiresAt: inSeconds(70), version: 2 })
      assert.strictEqual((yield* ask(valueOf(rotated), "203.0.113.7")).key.id, id)
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets the old value work for the grace and not a moment longer", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* rotate(key, { graceSeconds: 60 })
      yield* TestClock.adjust("59999 millis")
      assert.strictEqual((yield* ask(value)).key.id, key.id)
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(yield* Effect.flip(ask(value)), { reason: "expired" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("without a grace ends the old value at once", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* rotate(key)
      assert.deepInclude(yield* Effect.flip(ask(value)), { reason: "expired" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("without a grace ends the old value also where the clock is behind", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* rotate(key)
      yield* TestClock.setTime(NOW.epochMilliseconds - 10_000)
      assert.deepInclude(yield* Effect.flip(ask(value)), { reason: "disabled" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives nobody more time than the key had", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key } = yield* create(inside, { expiresAt: inSeconds(30) })
      const { value } = yield* rotate(key, { graceSeconds: 60 })
      assert.deepStrictEqual(value.old.expiresAt, inSeconds(30))
      assert.deepStrictEqual(value.key.expiresAt, inSeconds(30))
    }).pipe(Effect.provide(memory))
  )

  it.effect("makes one successor of twenty who rotate at once", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const exits = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(rotate(key)), {
        concurrency: "unbounded"
      })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      const { items } = yield* keys.listApiKeys({ owner: inside, page: { limit: 50, before: undefined } })
      assert.strictEqual(items.length, 2)
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repeated request with the same successor and without its value", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const first = yield* rotate(key, { idempotency: aRequest })
      const second = yield* rotate(key, { idempotency: aRequest })
      assert.isFalse(first.replayed)
      assert.deepStrictEqual(second, { value: { ...first.value, value: null }, replayed: true })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported once, of the key that is replaced", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const { value } = yield* rotate(key, { graceSeconds: 60, idempotency: aRequest })
      yield* rotate(key, { graceSeconds: 60, idempotency: aRequest })
      const [, entry, ...more] = yield* keyActs(inside)
      assert.isEmpty(more)
      assert.deepInclude(entry, {
        ...inside,
        action: "api_key.rotated",
        actor,
        summary: "deployer rotated the API key 'CI'",
        resourceId: key.id,
        payload: {
          name: "CI",
          kind: "workspace",
          scopes: key.scopes,
          expires_at: value.old.expiresAt && DateTime.formatIso(value.old.expiresAt),
          allowed_ips: [],
          successor: value.key.id,
          grace_seconds: 60
        }
      })
      assert.notInclude(JSON.stringify(entry), Redacted.value(valueOf(value)).slice(-4))
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused for a key that is not active", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const states = [
        ["revoked", { revokedAt: NOW }],
        ["expired", { expiresAt: NOW }],
        ["rotating", { replacedBy: anId(ApiKeyId) }],
        ["disabled", { disabled: true }]
      ] as const
      for (const [status, state] of states) {
        const { key } = yield* storedKey(inside, state)
        assert.deepInclude(yield* Effect.flip(rotate(key)), { _tag: "ApiKeySettled", status })
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused to who could not have made the key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key } = yield* create(inside)
      const refusals = [
        [grantor(["keys:write"]), "ScopeNotGrantable"],
        [grantor(WORKSPACE_SCOPES, { expiresAt: inSeconds(60) }), "ExpiryNotGrantable"],
        [grantor(WORKSPACE_SCOPES, { allowedIps: ["10.0.0.0/8"] }), "AddressNotGrantable"]
      ] as const
      for (const [rotator, tag] of refusals) {
        assert.strictEqual((yield* Effect.flip(rotate(key, { rotator })))._tag, tag)
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("is possible with the key itself", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key } = yield* create(inside, { expiresAt: inSeconds(60), allowedIps: ["203.0.113.7/32"] })
      const rotated = yield* rotate(key, { rotator: { ...grantor(platformScopes(key.scopes)), key } })
      assert.strictEqual(rotated.value.old.id, key.id)
    }).pipe(Effect.provide(memory))
  )

  it.effect("knows nothing of a key of another owner", () =>
    Effect.gen(function* () {
      const { inside, whole } = yield* founded
      const foreign = yield* founded
      const { key } = yield* create(inside)
      for (const owner of [whole, foreign.inside, foreign.whole]) {
        assert.strictEqual((yield* Effect.flip(rotate(key, { owner })))._tag, "ApiKeyNotFound")
      }
    }).pipe(Effect.provide(memory))
  )
})
