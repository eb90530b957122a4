/** Spec: Organization webhooks; Limits. */
import { Egress, type IdempotencyRequest, SecretBox, UrlNotPublic } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import { EndpointStore, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { secretPlace } from "../src/Endpoint.ts"
import { registerEndpoint } from "../src/use-cases/registerEndpoint.ts"
import { aRegistration, memory, register, storedEndpoint } from "./support.ts"

const aRequest = (key: string, bodyHash = "a".repeat(64)): IdempotencyRequest => ({
  scope: "organization",
  route: "POST /api/v1/org/webhooks",
  key,
  bodyHash
})

const activeOf = (caller: { readonly organizationId: Parameters<EndpointStore["Service"]["countActive"]>[0] }) =>
  EndpointStore.use((store) => store.countActive(caller.organizationId))

describe("registering an endpoint", () => {
  it.effect("answers the endpoint as it is kept, active and with its secret sealed", () =>
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const box = yield* SecretBox
      const { caller, endpoint, secret } = yield* register({ eventTypes: ["run.failed"], description: "alerts" })
      assert.deepInclude(endpoint, {
        organizationId: caller.organizationId,
        url: "https://receiver.example.com/hooks",
        eventTypes: ["run.failed"],
        description: "alerts",
        status: "active"
      })
      assert.deepStrictEqual(yield* store.find(caller.organizationId, endpoint.id), endpoint)
      assert.notInclude(JSON.stringify(endpoint), Redacted.value(secret))
      const opened = yield* box.open(secretPlace(endpoint.id), endpoint.sealedSecret)
      assert.strictEqual(Redacted.value(opened), Redacted.value(secret))
    }).pipe(Effect.provide(memory))
  )

  it.effect("gives every endpoint a secret of its own, which opens for no other", () =>
    Effect.gen(function* () {
      const box = yield* SecretBox
      const [one, two] = [yield* register(), yield* register()]
      assert.notStrictEqual(Redacted.value(one.secret), Redacted.value(two.secret))
      const refused = yield* Effect.flip(box.open(secretPlace(two.endpoint.id), one.endpoint.sealedSecret))
      assert.strictEqual(refused._tag, "SecretUnreadable")
    }).pipe(Effect.provide(memory))
  )

  it.effect("names an event type once that was asked for twice", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* register({ eventTypes: ["run.failed", "run.paused", "run.failed"] })
      assert.deepStrictEqual(endpoint.eventTypes, ["run.failed", "run.paused"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses a URL that is not public, and keeps nothing", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      for (const url of ["http://receiver.example.com/", "https://metadata.internal/hooks", "hooks"]) {
        assert.strictEqual((yield* Effect.flip(register({ caller, url })))._tag, "UrlNotPublic")
      }
      assert.strictEqual(yield* activeOf(caller), 0)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses the eleventh active endpoint of an organization, naming the limit", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      for (let count = 0; count < 10; count++) yield* register({ caller })
      const refused = yield* Effect.flip(register({ caller }))
      assert.deepInclude(refused, { _tag: "EndpointLimitReached", limit: 10 })
      assert.strictEqual(yield* activeOf(caller), 10)
      assert.strictEqual((yield* register()).endpoint.status, "active", "another organization has its own ten")
    }).pipe(Effect.provide(memory))
  )

  it.effect("does not count disabled or deleted endpoints", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const { organizationId } = caller
      for (let count = 0; count < 9; count++) yield* register({ caller })
      yield* storedEndpoint({ organizationId, status: "disabled" })
      yield* storedEndpoint({ organizationId, status: "deleted" })
      yield* register({ caller })
      assert.strictEqual(yield* activeOf(caller), 10)
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repeated request with the same endpoint and without its secret", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const registration = aRegistration({ idempotency: aRequest("order-1") })
      const first = yield* webhooks.registerEndpoint(registration)
      const second = yield* webhooks.registerEndpoint(registration)
      assert.isFalse(first.replayed)
      assert.isNotNull(first.value.secret)
      assert.deepStrictEqual(second, { value: { endpoint: first.value.endpoint, secret: null }, replayed: true })
      assert.strictEqual(yield* activeOf(registration.caller), 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repeated request even when the organization has ten endpoints by now", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const registration = aRegistration({ idempotency: aRequest("order-1") })
      const first = yield* webhooks.registerEndpoint(registration)
      for (let count = 1; count < 10; count++) yield* register({ caller: registration.caller })
      const second = yield* webhooks.registerEndpoint(registration)
      assert.strictEqual(second.value.endpoint.id, first.value.endpoint.id)
    }).pipe(Effect.provide(memory))
  )

  it.effect("answers a repeated request even when its host is not admitted any more", () =>
    Effect.gen(function* () {
      const egress = yield* Egress
      const registration = aRegistration({ idempotency: aRequest("order-1") })
      const first = yield* registerEndpoint(registration)
      const moved = { ...egress, admit: () => Effect.fail(new UrlNotPublic({ detail: "The name leads inside" })) }
      const second = yield* Effect.provideService(registerEndpoint(registration), Egress, moved)
      assert.strictEqual(second.value.endpoint.id, first.value.endpoint.id)
      assert.isTrue(second.replayed)
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses an idempotency key that came before with another body", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const registration = aRegistration({ idempotency: aRequest("order-1") })
      yield* webhooks.registerEndpoint(registration)
      const refused = yield* Effect.flip(
        webhooks.registerEndpoint({ ...registration, idempotency: aRequest("order-1", "b".repeat(64)) })
      )
      assert.strictEqual(refused._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(memory))
  )

  it.effect("leaves the idempotency key of a refused request free", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const caller = aCaller()
      for (let count = 0; count < 10; count++) yield* register({ caller })
      const registration = aRegistration({ caller, idempotency: aRequest("order-1") })
      assert.strictEqual((yield* Effect.flip(webhooks.registerEndpoint(registration)))._tag, "EndpointLimitReached")
      const { replayed } = yield* webhooks.registerEndpoint({ ...registration, caller: aCaller() })
      assert.isFalse(replayed)
    }).pipe(Effect.provide(memory))
  )
})
