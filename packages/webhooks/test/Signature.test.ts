/** Spec: Delivery headers; Signature. The Standard Webhooks headers are checked with that project's own vector. */
import { createHmac } from "node:crypto"
import { inspect } from "node:util"
import type { EventId } from "@agent-platform/kernel"
import { deliveryHeaders, generateSecret } from "@agent-platform/webhooks"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"

const crypto = SecureRandom.layerWebCrypto

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// Both signatures of this delivery were computed with `openssl dgst -sha256 -hmac` and `-macopt hexkey`.
const DELIVERY = {
  secrets: [Redacted.make(SECRET)],
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
        assert.deepStrictEqual(deliveryHeaders(DELIVERY), {
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
        const headers = deliveryHeaders({
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
      "is the HMAC-SHA256 of what each scheme says, whatever the bodies are that are signed in a row",
      {
        bodies: Schema.NonEmptyArray(Schema.Tuple([Schema.String, Schema.Literals([0, 1, 700, 16_330, 40_000])])),
        seconds: Schema.Int.check(Schema.isGreaterThan(0))
      },
      ({ bodies, seconds }) =>
        Effect.gen(function* () {
          for (const [text, more] of bodies) {
            const body = `${text}${"é".repeat(more / 2)}`
            const headers = deliveryHeaders({ ...DELIVERY, timestampSeconds: seconds, body })
            const v1 = createHmac("sha256", SECRET).update(`${seconds}.${body}`).digest("hex")
            assert.strictEqual(headers["x-service-signature"], `t=${seconds},v1=${v1}`)
            const standard = createHmac("sha256", Buffer.from(SECRET.slice("whsec_".length), "base64"))
              .update(`${DELIVERY.eventId}.${seconds}.${body}`)
              .digest("base64")
            assert.strictEqual(headers["webhook-signature"], `v1,${standard}`)
          }
        })
    )

    it.effect("of the standard is there whatever the prefix is", () =>
      Effect.gen(function* () {
        const headers = deliveryHeaders({ ...DELIVERY, headerPrefix: "webhook" })
        assert.strictEqual(headers["webhook-signature"], "v1,i2HCQd06QQiOMGf7P7pGJzR923e67nSS+fzVATma3Bg=")
      })
    )

    it.effect("of a secret that is none of ours fails without showing it", () =>
      Effect.gen(function* () {
        const secrets = [Redacted.make("whsec_not base64")]
        const exit = yield* Effect.exit(Effect.sync(() => deliveryHeaders({ ...DELIVERY, secrets })))
        assert.isTrue(Exit.hasDies(exit))
        assert.notInclude(inspect(exit, { depth: 20 }), "not base64")
      })
    )

    it.effect("stands in a header whose prefix can be chosen", () =>
      Effect.gen(function* () {
        const headers = deliveryHeaders({ ...DELIVERY, headerPrefix: "x-acme" })
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
