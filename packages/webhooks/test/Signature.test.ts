/** Spec: Delivery headers; Signature. The Standard Webhooks headers are checked with that project's own vector. */
import { createHmac } from "node:crypto"
import type { EventId } from "@agent-platform/kernel"
import { deliveryHeaders, generateSecret, sign } from "@agent-platform/webhooks"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"

const crypto = Layer.provideMerge(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)

// Both signatures of this delivery were computed with `openssl dgst -sha256 -hmac` and `-macopt hexkey`.
const DELIVERY = {
  secrets: [Redacted.make("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")],
  timestampSeconds: 1795237500,
  eventId: "01a1fd31-ae8a-73b5-8d35-ead780a3b245" as EventId,
  eventType: "run.succeeded",
  body: `{"id":"01a1fd31-ae8a-73b5-8d35-ead780a3b245","type":"run.succeeded","data":{"note":"é 💡"}}`,
  headerPrefix: "x-service"
}

describe("the signature of a delivery", () => {
  layer(crypto)((it) => {
    it.effect("is what OpenSSL computes, in the headers of the spec and in those of Standard Webhooks", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* deliveryHeaders(DELIVERY), {
          "content-type": "application/json",
          "user-agent": "agent-platform-webhooks",
          "x-service-signature": "t=1795237500,v1=a20a10579a0e99d0c801f51f689680daca1e234abf8235d1d8bfa33ede1ff182",
          "x-service-event-id": "01a1fd31-ae8a-73b5-8d35-ead780a3b245",
          "x-service-event-type": "run.succeeded",
          "webhook-id": "01a1fd31-ae8a-73b5-8d35-ead780a3b245",
          "webhook-timestamp": "1795237500",
          "webhook-signature": "v1,i2HCQd06QQiOMGf7P7pGJzR923e67nSS+fzVATma3Bg="
        })
      })
    )

    it.effect("agrees with the published vector of Standard Webhooks", () =>
      Effect.gen(function* () {
        const headers = yield* deliveryHeaders({
          ...DELIVERY,
          secrets: [Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")],
          timestampSeconds: 1614265330,
          eventId: "msg_p5jXN8AQM9LWM0D4loKWxJek" as EventId,
          body: `{"test": 2432232314}`
        })
        assert.strictEqual(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
      })
    )

    it.effect.prop(
      "is the hexadecimal HMAC-SHA256 of time, period and body, whatever the body is",
      { secret: Schema.NonEmptyString, body: Schema.String, seconds: Schema.Int.check(Schema.isGreaterThan(0)) },
      ({ body, secret, seconds }) =>
        Effect.gen(function* () {
          const expected = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
          assert.strictEqual(yield* sign(Redacted.make(secret), seconds, body), expected)
        })
    )

    it.effect("stands in a header whose prefix can be chosen", () =>
      Effect.gen(function* () {
        const headers = yield* deliveryHeaders({ ...DELIVERY, headerPrefix: "x-acme" })
        assert.containsAllKeys(headers, [
          "x-acme-signature",
          "x-acme-event-id",
          "x-acme-event-type",
          "webhook-signature"
        ])
        assert.notProperty(headers, "x-service-signature")
      })
    )
  })
})

describe("a signing secret", () => {
  layer(crypto)((it) => {
    it.effect("is a prefix and 32 random bytes in base64, another one each time", () =>
      Effect.gen(function* () {
        const secrets = yield* Effect.forEach(Array.from({ length: 100 }), () =>
          Effect.map(generateSecret, Redacted.value)
        )
        for (const secret of secrets) {
          assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
          assert.strictEqual(atob(secret.slice("whsec_".length)).length, 32)
        }
        assert.strictEqual(new Set(secrets).size, secrets.length)
      })
    )

    it.effect("does not show when it is printed", () =>
      Effect.gen(function* () {
        const secret = yield* generateSecret
        assert.notInclude(`${secret} ${JSON.stringify({ secret })}`, Redacted.value(secret))
      })
    )
  })
})
