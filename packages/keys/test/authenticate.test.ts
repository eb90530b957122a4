/** Spec: API keys 2 to 5; Organization API keys 1 and 2. */
import { WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { ApiKeyStore, Keys } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, type Redacted } from "effect"
import { TestClock } from "effect/testing"
import { makeRefusedKeys, RefusedKeys } from "../src/RefusedKeys.ts"
import { authenticate } from "../src/use-cases/api-keys/authenticate.ts"
import { actor, ask, create, credential, founded, memory, storedKey } from "./support.ts"

const EXPIRY = DateTime.makeUnsafe("2027-01-01T00:00:00.000Z")

describe("a workspace key", () => {
  it.effect("is recognised, and acts in its one workspace without naming it", () =>
    Effect.gen(function* () {
      const { inside, workspace } = yield* founded
      const { key, value } = yield* create(inside)
      assert.deepStrictEqual(yield* ask(value), { key, workspaceId: workspace.id })
    }).pipe(Effect.provide(memory))
  )

  it.effect("may name its own workspace and sees no other", () =>
    Effect.gen(function* () {
      const { inside, workspace } = yield* founded
      const foreign = yield* founded
      const { value } = yield* create(inside)
      assert.strictEqual((yield* ask(value, undefined, workspace.id)).workspaceId, workspace.id)
      for (const other of [foreign.workspace.id, anId(WorkspaceId)]) {
        assert.strictEqual((yield* Effect.flip(ask(value, undefined, other)))._tag, "WorkspaceNotFound")
      }
    }).pipe(Effect.provide(memory))
  )
})

describe("an organization key", () => {
  it.effect("is recognised without a workspace", () =>
    Effect.gen(function* () {
      const { whole } = yield* founded
      const { key, value } = yield* create(whole)
      assert.deepStrictEqual(yield* ask(value), { key, workspaceId: undefined })
    }).pipe(Effect.provide(memory))
  )

  it.effect("reaches the workspaces of its organization and no other", () =>
    Effect.gen(function* () {
      const { whole, workspace } = yield* founded
      const foreign = yield* founded
      const { value } = yield* create(whole)
      assert.strictEqual((yield* ask(value, undefined, workspace.id)).workspaceId, workspace.id)
      for (const other of [foreign.workspace.id, anId(WorkspaceId)]) {
        assert.strictEqual((yield* Effect.flip(ask(value, undefined, other)))._tag, "WorkspaceNotFound")
      }
    }).pipe(Effect.provide(memory))
  )
})

describe("a credential", () => {
  it.effect("that nobody was given is unknown, however well formed", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      yield* create(inside)
      const forged = "apk_ws_D3rGmhN5kQ0Zb7XyWvUtSrQpOnMlKjIhGfEdCbA98761cWd4p"
      assert.strictEqual((yield* Effect.flip(ask(credential(forged))))._tag, "CredentialUnknown")
    }).pipe(Effect.provide(memory))
  )

  it.effect("that is malformed costs no look at the store, and a well formed one costs one", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { inside } = yield* founded
      const { value } = yield* create(inside)
      let reads = 0
      const counting = ApiKeyStore.of({
        ...store,
        findByHash: (hash, workspaceId) =>
          Effect.suspend(() => {
            reads++
            return store.findByHash(hash, workspaceId)
          })
      })
      const counted = (text: Redacted.Redacted) =>
        Effect.exit(
          Effect.provideService(
            authenticate({ credential: text, workspaceId: undefined, clientAddress: undefined }),
            ApiKeyStore,
            counting
          ).pipe(Effect.provideServiceEffect(RefusedKeys, makeRefusedKeys), Effect.scoped)
        )
      for (const text of ["", "garbage", "apk_ws_", "apk_ws_D3rGmhN5kQ0Zb7XyWvUtSrQpOnMlKjIhGfEdCbA98761cWd4q"]) {
        assert.strictEqual((yield* Effect.flip(ask(credential(text))))._tag, "MalformedCredential")
        yield* counted(credential(text))
      }
      assert.strictEqual(reads, 0)
      yield* counted(value)
      assert.strictEqual(reads, 1)
    }).pipe(Effect.provide(memory))
  )
})

describe("a key that may not be used", () => {
  it.effect("is refused from the very next request after its revocation", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* ask(value)
      yield* keys.revokeApiKey({ owner: inside, id: key.id, actor })
      assert.deepInclude(yield* Effect.flip(ask(value)), { _tag: "CredentialRefused", reason: "revoked" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is accepted up to its expiry and refused from then on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(EXPIRY.epochMilliseconds - 1000)
      const { inside } = yield* founded
      const { value } = yield* create(inside, { expiresAt: EXPIRY })
      yield* TestClock.adjust("999 millis")
      yield* ask(value)
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(yield* Effect.flip(ask(value)), { _tag: "CredentialRefused", reason: "expired" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is refused while it is disabled", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { value } = yield* storedKey(inside, { disabled: true })
      assert.deepInclude(yield* Effect.flip(ask(value)), { _tag: "CredentialRefused", reason: "disabled" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("says revoked before expired, and expired before disabled", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(EXPIRY.epochMilliseconds)
      const { inside } = yield* founded
      const expired = yield* storedKey(inside, { disabled: true, expiresAt: EXPIRY })
      assert.deepInclude(yield* Effect.flip(ask(expired.value)), { reason: "expired" })
      const revoked = yield* storedKey(inside, { disabled: true, expiresAt: EXPIRY, revokedAt: EXPIRY })
      assert.deepInclude(yield* Effect.flip(ask(revoked.value)), { reason: "revoked" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("lets a foreign workspace learn nothing but that it is refused", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { value } = yield* storedKey(inside, { disabled: true })
      const refused = yield* Effect.flip(ask(value, undefined, anId(WorkspaceId)))
      assert.deepInclude(refused, { _tag: "CredentialRefused", reason: "disabled" })
    }).pipe(Effect.provide(memory))
  )
})

describe("a key with allowed networks", () => {
  it.effect("is accepted from inside them and refused from everywhere else", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { key, value } = yield* create(inside, { allowedIps: ["203.0.113.0/24", "2001:db8::/32"] })
      for (const address of ["203.0.113.7", "::ffff:203.0.113.7", "2001:db8:0::1"]) {
        assert.strictEqual((yield* ask(value, address)).key.id, key.id)
      }
      for (const address of [
        "203.0.114.7",
        "::203.0.113.7",
        "2001:db9::1",
        "203.0.113.7.",
        "localhost",
        "",
        undefined
      ]) {
        assert.strictEqual((yield* Effect.flip(ask(value, address)))._tag, "AddressNotAllowed", address)
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("says that it is revoked before it says from where", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const { value } = yield* storedKey(inside, { revokedAt: EXPIRY, allowedIps: ["203.0.113.7/32"] })
      assert.deepInclude(yield* Effect.flip(ask(value)), { reason: "revoked" })
    }).pipe(Effect.provide(memory))
  )
})
