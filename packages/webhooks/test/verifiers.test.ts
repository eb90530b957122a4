/** Deliveries as they leave, under the verifiers that receivers have already. On Node and on Deno. */
import { aResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import { verify } from "@agent-platform/receiver"
import { startDeliveryWorker, Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Redacted } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import Stripe from "stripe"
import { Webhook as SvixWebhook } from "svix"
import { callFor } from "./lifecycleSupport.ts"
import { memory, publishEvent, register } from "./support.ts"

interface Sent {
  readonly headers: Record<string, string>
  readonly body: string
}

/** A delivery as it left while two secrets were live, and both of them: the new one first. */
const delivered = Effect.gen(function* () {
  const egress = yield* MemoryEgress
  const { caller, endpoint, secret } = yield* register()
  const { value } = yield* Webhooks.use((webhooks) =>
    webhooks.rotateSecret({ ...callFor(caller, endpoint), graceSeconds: 3600, idempotency: undefined })
  )
  const sent = yield* Deferred.make<Sent>()
  egress.respondWith(({ body, headers }) =>
    Effect.as(Deferred.succeed(sent, { headers: { ...headers }, body: body ?? "" }), aResponse(200))
  )
  yield* startDeliveryWorker()
  yield* publishEvent(endpoint.organizationId, "run.succeeded", "é 💡 \u2028")
  const secrets = [value.secret ?? secret, secret].map(Redacted.value)
  return { ...(yield* Deferred.await(sent)), secrets }
}).pipe(Effect.scoped, Effect.provide(memory))

const stripe = new Stripe("sk_unused")

/** Each answers what it has verified, and rejects what it does not accept. */
const verifiers: Readonly<Record<string, (sent: Sent, secret: string) => Promise<unknown>>> = {
  // The asynchronous call: the other one needs a cryptography of Node's that Deno's build of the package has not.
  stripe: ({ body, headers }, secret) =>
    stripe.webhooks.constructEventAsync(body, headers["x-service-signature"] ?? "", secret),
  standardwebhooks: async ({ body, headers }, secret) => new StandardWebhook(secret).verify(body, headers),
  // It throws or answers nothing; what it has verified is left to be parsed.
  svix: async ({ body, headers }, secret) => {
    new SvixWebhook(secret).verify(body, headers)
    return JSON.parse(body)
  },
  "our own kit": ({ body, headers }, secret) => verify(body, headers, secret)
}

const isRefused = (verification: Promise<unknown>): Promise<boolean> =>
  verification.then(
    () => false,
    () => true
  )

describe.each(Object.entries(verifiers))("a delivery under %s", (_, accept) => {
  it.live("is accepted as it is, by the new secret and by the one before", () =>
    Effect.gen(function* () {
      const { body, headers, secrets } = yield* delivered
      for (const secret of secrets) {
        const accepted = yield* Effect.promise(() => accept({ body, headers }, secret))
        assert.deepStrictEqual(accepted, JSON.parse(body))
      }
    })
  )

  it.live("is refused with another body, and under another secret", () =>
    Effect.gen(function* () {
      const { body, headers, secrets } = yield* delivered
      const [secret = ""] = secrets
      const foreign = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
      assert.isTrue(yield* Effect.promise(() => isRefused(accept({ body: `${body} `, headers }, secret))))
      assert.isTrue(yield* Effect.promise(() => isRefused(accept({ body, headers }, foreign))))
    })
  )
})
