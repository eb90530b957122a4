import { createHmac } from "node:crypto"
import { type IdempotencyRequest, SecretBox } from "@agent-platform/kernel"
import { aResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { startDeliveryWorker, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Redacted } from "effect"
import { secretPlace } from "../src/Endpoint.ts"
import type { RotateSecret } from "../src/use-cases/rotateSecret.ts"
import { actionsOf, callFor } from "./lifecycleSupport.ts"
import { memory, publishEvent, register, storedEndpoint } from "./support.ts"

const rotate = (command: Omit<RotateSecret, "idempotency">, idempotency?: IdempotencyRequest) =>
  Webhooks.use((webhooks) => webhooks.rotateSecret({ ...command, idempotency }))

describe("rotating an endpoint's secret", () => {
  it.effect("answers a new one, sealed for the endpoint, beside which the one before signs on", () =>
    Effect.gen(function* () {
      const box = yield* SecretBox
      const { caller, endpoint, secret } = yield* register()
      const { value } = yield* rotate({ ...callFor(caller, endpoint), graceSeconds: 3600 })
      assert.isNotNull(value.secret)
      const newSecret = Redacted.value(value.secret)
      assert.match(newSecret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.notStrictEqual(newSecret, Redacted.value(secret))
      const open = (sealed: string) => Effect.map(box.open(secretPlace(endpoint.id), sealed), Redacted.value)
      assert.strictEqual(yield* open(value.endpoint.sealedSecret), newSecret)
      const [retiring] = value.endpoint.retiringSecrets
      assert.strictEqual(yield* open(retiring?.sealed ?? ""), Redacted.value(secret))
      assert.deepStrictEqual(yield* actionsOf(caller.organizationId), [
        "webhook_endpoint.created",
        "webhook_endpoint.secret_rotated"
      ])
    }).pipe(Effect.provide(memory))
  )

  it.live("has every delivery signed with both while they overlap", () =>
    Effect.gen(function* () {
      const egress = yield* MemoryEgress
      const { caller, endpoint, secret } = yield* register()
      const { value } = yield* rotate({ ...callFor(caller, endpoint), graceSeconds: 3600 })
      const received = yield* Deferred.make<{
        readonly headers: Readonly<Record<string, string>>
        readonly body: string | null
      }>()
      egress.respondWith((request) => Effect.as(Deferred.succeed(received, request), aResponse(200)))
      yield* startDeliveryWorker()
      yield* publishEvent(endpoint.organizationId)
      const { body, headers } = yield* Deferred.await(received)
      const [time, ...digests] = (headers["x-service-signature"] ?? "").split(",")
      const seconds = Number(time?.slice(2))
      const expected = [value.secret ?? secret, secret].map((one) =>
        createHmac("sha256", Redacted.value(one)).update(`${seconds}.${body}`).digest("hex")
      )
      assert.deepStrictEqual(
        digests,
        expected.map((digest) => `v1=${digest}`)
      )
      assert.match(headers["webhook-signature"] ?? "", /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("rotates once for one idempotency key, and shows the secret only then", () =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      const key = { scope: caller.organizationId, route: "rotate", key: "k", bodyHash: "a".repeat(64) }
      const command = { ...callFor(caller, endpoint), graceSeconds: 60 }
      const first = yield* rotate(command, key)
      const second = yield* rotate(command, key)
      assert.deepStrictEqual(second, { value: { endpoint: first.value.endpoint, secret: null }, replayed: true })
    }).pipe(Effect.provide(memory))
  )

  it.effect("refuses on a deleted endpoint, and knows nothing of another organization's", () =>
    Effect.gen(function* () {
      const gone = yield* storedEndpoint({ status: "deleted" })
      const foreign = yield* storedEndpoint()
      const caller = aCaller({ organizationId: gone.organizationId })
      const refusals = yield* Effect.forEach([gone, foreign], (endpoint) =>
        Effect.flip(rotate({ ...callFor(caller, endpoint), graceSeconds: 0 }))
      )
      assert.deepStrictEqual(
        refusals.map(({ _tag }) => _tag),
        ["EndpointInactive", "EndpointNotFound"]
      )
    }).pipe(Effect.provide(memory))
  )
})
