/** The signing secrets that a worker has opened. */
import { SecretBox } from "@agent-platform/kernel"
import { anEndpoint } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Redacted } from "effect"
import { secretPlace } from "../src/Endpoint.ts"
import { makeEndpointSecrets } from "../src/worker/EndpointSecrets.ts"
import { memory, publishEvent, register } from "./support.ts"
import { deliveryOnce, isDelivered, quiet, sent, sentAtLeast, startWorker } from "./workerSupport.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00Z")
const LATER = DateTime.makeUnsafe("2026-11-21T13:00:00Z")

const values = (secrets: ReadonlyArray<Redacted.Redacted> | undefined) => secrets?.map(Redacted.value)

describe("the secrets of an endpoint", () => {
  it.effect("are known once they were opened, and opened no second time", () =>
    Effect.gen(function* () {
      const box = yield* SecretBox
      let opened = 0
      const secrets = makeEndpointSecrets({
        open: (place, sealed) => Effect.tap(box.open(place, sealed), () => Effect.sync(() => opened++))
      })
      const { endpoint, secret } = yield* register()
      assert.isUndefined(secrets.known(endpoint, NOW))
      yield* secrets.open(endpoint, NOW)
      yield* secrets.open(endpoint, NOW)
      assert.deepStrictEqual(values(secrets.known(endpoint, NOW)), [Redacted.value(secret)])
      assert.strictEqual(opened, 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("are those that sign at the time, the current one first", () =>
    Effect.gen(function* () {
      const box = yield* SecretBox
      const secrets = makeEndpointSecrets(box)
      const bare = anEndpoint()
      const seal = (text: string) => box.seal(secretPlace(bare.id), Redacted.make(text))
      const retiring = { sealed: yield* seal("before"), expiresAt: LATER }
      const endpoint = { ...bare, sealedSecret: yield* seal("current"), retiringSecrets: [retiring] }
      assert.deepStrictEqual(values(yield* secrets.open(endpoint, NOW)), ["current", "before"])
      assert.deepStrictEqual(values(secrets.known(endpoint, LATER)), ["current"])
    }).pipe(Effect.provide(memory))
  )

  it.effect("are not known of another endpoint to which they were copied", () =>
    Effect.gen(function* () {
      const secrets = makeEndpointSecrets(yield* SecretBox)
      const { endpoint } = yield* register()
      yield* secrets.open(endpoint, NOW)
      const copy = { ...anEndpoint(), sealedSecret: endpoint.sealedSecret }
      assert.isUndefined(secrets.known(copy, NOW))
      assert.strictEqual((yield* Effect.flip(secrets.open(copy, NOW)))._tag, "SecretUnreadable")
    }).pipe(Effect.provide(memory))
  )

  it.effect("hold up nobody else while they are being opened", () =>
    Effect.gen(function* () {
      const box = yield* SecretBox
      const released = yield* Deferred.make<void>()
      const [slow, prompt] = [yield* register(), yield* register()]
      const slowly = SecretBox.of({
        ...box,
        open: (place, sealed) =>
          place === secretPlace(slow.endpoint.id)
            ? Effect.andThen(Deferred.await(released), box.open(place, sealed))
            : box.open(place, sealed)
      })
      yield* Effect.provideService(startWorker(), SecretBox, slowly)
      yield* Effect.addFinalizer(() => Deferred.succeed(released, undefined))
      yield* publishEvent(slow.caller.organizationId)
      const eventId = yield* publishEvent(prompt.caller.organizationId)
      yield* deliveryOnce(prompt.endpoint, eventId, isDelivered)
      assert.strictEqual((yield* sent).length, 1)
      yield* Deferred.succeed(released, undefined)
      yield* sentAtLeast(2)
    }).pipe(Effect.provide(quiet))
  )
})
