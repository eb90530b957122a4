/** The verification that receivers run. Spec: Signature 2. The vectors are published with the package. */
import { readFileSync } from "node:fs"
import { bodyOf, EventId } from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { type RefusalCode, verify, WebhookRefused } from "@agent-platform/receiver"
import { deliveryHeaders, generateSecret } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

interface Vector {
  readonly name: string
  readonly secret: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly now_seconds: number
  readonly tolerance_seconds?: number
  readonly header_prefix?: string
  readonly result: "accepted" | RefusalCode
}

const vectors: ReadonlyArray<Vector> = JSON.parse(readFileSync(new URL("../vectors.json", import.meta.url), "utf8"))

/** The id of the event of a delivery, or the code of its refusal. */
const resultOf = (verification: ReturnType<typeof verify>): Promise<string> =>
  verification.then(
    (event) => event.id,
    (error: unknown) => (error instanceof WebhookRefused ? error.code : `not a refusal: ${error}`)
  )

describe("verifying a delivery", () => {
  it.each(vectors)("is $result: $name", async (vector) => {
    const options = {
      now: vector.now_seconds * 1000,
      toleranceSeconds: vector.tolerance_seconds,
      headerPrefix: vector.header_prefix
    }
    const expected = vector.result === "accepted" ? JSON.parse(vector.body).id : vector.result
    const bytes = new TextEncoder().encode(vector.body)
    for (const headers of [vector.headers, new Headers(vector.headers)]) {
      assert.strictEqual(await resultOf(verify(vector.body, headers, vector.secret, options)), expected)
      assert.strictEqual(await resultOf(verify(bytes, headers, vector.secret, options)), expected)
    }
  })

  it("takes several secrets, for a receiver that rotates", async () => {
    const [vector] = vectors
    if (vector === undefined) return assert.fail("There are vectors")
    const options = { now: vector.now_seconds * 1000 }
    const other = "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="
    const accepted = await verify(vector.body, vector.headers, [other, vector.secret], options)
    assert.strictEqual(accepted.type, "run.succeeded")
    assert.strictEqual(await resultOf(verify(vector.body, vector.headers, [], options)), "signature_mismatch")
    assert.strictEqual(await resultOf(verify(vector.body, vector.headers, "", options)), "signature_mismatch")
  })

  it("goes by this machine's clock by default", async () => {
    const [vector] = vectors
    if (vector === undefined) return assert.fail("There are vectors")
    assert.include(["too_old", "too_new"], await resultOf(verify(vector.body, vector.headers, vector.secret)))
  })

  it.each([
    ["toleranceSeconds", Number.NaN],
    ["toleranceSeconds", -1],
    ["toleranceSeconds", Number.POSITIVE_INFINITY],
    ["toleranceSeconds", "soon" as unknown as number],
    ["now", Number.NaN],
    ["now", -1],
    ["now", Number.NEGATIVE_INFINITY],
    ["now", "today" as unknown as number]
  ] as const)("accepts nothing with %s %s, and says what is wrong with it", async (option, value) => {
    const [vector] = vectors
    if (vector === undefined) return assert.fail("There are vectors")
    const options = { now: vector.now_seconds * 1000, toleranceSeconds: 300, [option]: value }
    const refused = await verify(vector.body, vector.headers, vector.secret, options).catch((error: unknown) => error)
    assert.instanceOf(refused, RangeError)
    assert.include(String(refused), option)
  })

  it.live("accepts what is sent, as it is sent, and nothing that differs in a byte of it", () =>
    Effect.gen(function* () {
      const secret = yield* generateSecret
      const event = anEvent()
      const body = bodyOf(event)
      const now = Date.now()
      const headers = deliveryHeaders({
        secrets: [yield* generateSecret, secret],
        timestampSeconds: Math.floor(now / 1000),
        eventId: anId(EventId),
        eventType: event.type,
        body,
        headerPrefix: "x-service"
      })
      const received = yield* Effect.promise(() => verify(body, headers, Redacted.value(secret)))
      assert.deepStrictEqual(received as unknown, JSON.parse(body))
      const bytes = new TextEncoder().encode(body)
      for (let place = 0; place < bytes.length; place += 7) {
        const altered = bytes.slice()
        altered[place] = (altered[place] ?? 0) ^ 1
        const result = yield* Effect.promise(() => resultOf(verify(altered, headers, Redacted.value(secret))))
        assert.strictEqual(result, "signature_mismatch")
      }
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
})
