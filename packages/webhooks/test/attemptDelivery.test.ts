/** One request to a receiver and the attempt that is kept of it. Spec: Delivery headers; Signature. */
import { createHmac } from "node:crypto"
import { Egress, type IncomingResponse, RequestFailed } from "@agent-platform/kernel"
import { aResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import type { AttemptOutcome, ClaimedDelivery } from "@agent-platform/webhooks"
import { aDelivery } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type Attempts, makeAttempts } from "../src/worker/Attempts.ts"
import { excerptOf } from "../src/worker/attemptDelivery.ts"
import { memory, register, storedEndpoint } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.750Z")
const SECONDS = Math.floor(NOW.epochMilliseconds / 1000)
const BODY = `{"type":"run.succeeded","data":{"note":"é 💡"}}`

const answering = (answer: IncomingResponse) =>
  Effect.map(MemoryEgress, (egress) => egress.respondWith(() => Effect.succeed(answer)))

const claimedFor = (endpoint: ClaimedDelivery["endpoint"]): ClaimedDelivery => ({
  delivery: aDelivery({ endpointId: endpoint.id, organizationId: endpoint.organizationId }),
  claimToken: "token",
  endpoint,
  failingSince: null,
  body: BODY
})

const attemptedBy = Effect.fnUntraced(function* (attempts: Attempts, claimed: ClaimedDelivery) {
  const came = yield* Deferred.make<AttemptOutcome>()
  attempts.begin(claimed, (outcome) => void Deferred.doneUnsafe(came, outcome))
  return yield* Deferred.await(came)
})

const attempted = (claimed: ClaimedDelivery) =>
  Effect.scoped(Effect.flatMap(makeAttempts("x-service"), (attempts) => attemptedBy(attempts, claimed)))

/** An attempt at `NOW` to a receiver that gives this answer, an empty 200 by default. */
const attempt = (answer: IncomingResponse = aResponse(200)) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(NOW.epochMilliseconds)
    yield* answering(answer)
    const { endpoint, secret } = yield* register()
    const claimed = claimedFor(endpoint)
    const outcome = yield* attempted(claimed)
    const { requests } = yield* MemoryEgress
    return { outcome, claimed, secret, request: requests.at(-1) }
  })

describe("an attempt", () => {
  it.effect("posts the exact bytes of the event to the endpoint, signed at the time of the attempt", () =>
    Effect.gen(function* () {
      const { claimed, request, secret } = yield* attempt()
      const key = Redacted.value(secret)
      const v1 = createHmac("sha256", key).update(`${SECONDS}.${BODY}`).digest("hex")
      const { eventId } = claimed.delivery
      const standard = createHmac("sha256", Buffer.from(key.slice("whsec_".length), "base64"))
        .update(`${eventId}.${SECONDS}.${BODY}`)
        .digest("base64")
      assert.deepStrictEqual(request, {
        purpose: "webhooks",
        method: "POST",
        url: "https://receiver.example.com/hooks",
        headers: {
          "content-type": "application/json",
          "user-agent": "agent-platform-webhooks",
          "x-service-signature": `t=${SECONDS},v1=${v1}`,
          "x-service-event-id": eventId,
          "x-service-event-type": "run.succeeded",
          "webhook-id": eventId,
          "webhook-timestamp": String(SECONDS),
          "webhook-signature": `v1,${standard}`
        },
        body: BODY,
        deadlineMillis: 15_000,
        readBytesMax: 65_536
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps the answer: its status, its beginning, its sender and how long it took", () =>
    Effect.gen(function* () {
      const body = new TextEncoder().encode("no such hook")
      const { outcome } = yield* attempt({
        ...aResponse(404),
        body,
        durationMillis: 12.6,
        remoteAddress: "203.0.113.9"
      })
      assert.deepStrictEqual(outcome, {
        attemptedAt: NOW,
        durationMillis: 13,
        responseCode: 404,
        error: null,
        responseExcerpt: "no such hook",
        remoteIp: "203.0.113.9",
        retryAfterSeconds: undefined
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("reads Retry-After in seconds and as a date", () =>
    Effect.gen(function* () {
      const inSeconds = yield* attempt(aResponse(503, { "retry-after": "120" }))
      assert.strictEqual(inSeconds.outcome.retryAfterSeconds, 120)
      const asDate = yield* attempt(aResponse(503, { "retry-after": "Sat, 21 Nov 2026 12:05:00 GMT" }))
      assert.strictEqual(asDate.outcome.retryAfterSeconds, 300)
      const nonsense = yield* attempt(aResponse(503, { "retry-after": "soon" }))
      assert.isUndefined(nonsense.outcome.retryAfterSeconds)
    }).pipe(Effect.provide(memory))
  )

  it.effect("keeps why a request had no answer", () =>
    Effect.gen(function* () {
      const egress = yield* MemoryEgress
      egress.respondWith(() =>
        Effect.fail(
          new RequestFailed({
            reason: "connect_failed",
            detail: "The connection was refused",
            remoteAddress: "203.0.113.9",
            durationMillis: 7.2
          })
        )
      )
      const { endpoint } = yield* register()
      const outcome = yield* attempted(claimedFor(endpoint))
      assert.deepInclude(outcome, {
        durationMillis: 7,
        responseCode: null,
        error: "connect_failed: The connection was refused",
        responseExcerpt: null,
        remoteIp: "203.0.113.9"
      })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is a failed one, and nothing is sent, when the event is not kept any more", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* register()
      const attempts = yield* makeAttempts("x-service")
      const unreadable = yield* storedEndpoint({ sealedSecret: "sealed by a key that is gone" })
      for (const one of [endpoint, unreadable]) {
        const outcome = yield* attemptedBy(attempts, { ...claimedFor(one), body: null })
        assert.match(outcome.error ?? "", /^event_missing: /)
      }
      assert.isEmpty((yield* MemoryEgress).requests)
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("ends with a defect of the port it sends by, whether its secret has to be opened or is known", () =>
    Effect.gen(function* () {
      const { endpoint } = yield* register()
      const broken = { ...(yield* Egress), begin: () => assert.fail("a defect") }
      const attempts = yield* Effect.provideService(makeAttempts("x-service"), Egress, broken)
      for (const secret of ["to be opened", "known"]) {
        const exit = yield* Effect.exit(attemptedBy(attempts, claimedFor(endpoint)))
        assert.isTrue(Exit.hasDies(exit), secret)
      }
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("is a failed one, and nothing is sent, when the signing secret cannot be opened", () =>
    Effect.gen(function* () {
      const endpoint = yield* storedEndpoint({ sealedSecret: "sealed by a key that is gone" })
      const outcome = yield* attempted(claimedFor(endpoint))
      assert.deepInclude(outcome, { responseCode: null, remoteIp: null, durationMillis: 0 })
      assert.match(outcome.error ?? "", /^secret_unreadable: /)
      assert.isEmpty((yield* MemoryEgress).requests)
    }).pipe(Effect.provide(memory))
  )
})

describe("the excerpt of an answer", () => {
  const excerpt = (body: Uint8Array) => excerptOf({ ...aResponse(200), body })
  const bytesOf = (text: string) => new TextEncoder().encode(text)

  it("is the whole answer up to 1024 bytes, and its first 1024 beyond", () => {
    assert.strictEqual(excerpt(bytesOf("a".repeat(1024))), "a".repeat(1024))
    assert.strictEqual(excerpt(bytesOf("a".repeat(1025))), "a".repeat(1024))
    assert.strictEqual(excerpt(new Uint8Array()), "")
  })

  it.each([
    [1, "é"],
    [1, "€"],
    [2, "€"],
    [1, "💡"],
    [2, "💡"],
    [3, "💡"]
  ])("leaves out a character of which only %i bytes would fit: %s", (fitting, character) => {
    const start = "a".repeat(1024 - fitting)
    assert.strictEqual(excerpt(bytesOf(start + character.repeat(9))), start)
  })

  it("keeps a character that fits to its last byte", () => {
    const text = `${"a".repeat(1020)}💡`
    assert.strictEqual(excerpt(bytesOf(`${text}more`)), text)
  })

  it("holds no NUL, which a text column refuses", () => {
    assert.strictEqual(excerpt(bytesOf("a\u0000b")), "a\uFFFDb")
  })

  it.effect.prop(
    "is what its bytes are as text, however few they are",
    { bytes: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))) },
    ({ bytes }) =>
      Effect.sync(() => {
        const body = Uint8Array.from(bytes.slice(0, 300))
        assert.strictEqual(excerpt(body), new TextDecoder().decode(body).replaceAll("\u0000", "\uFFFD"))
      })
  )

  it("never takes more than 1024 bytes, even when the answer is not text", () => {
    for (const byte of [0x00, 0x80, 0xff]) {
      const text = excerpt(new Uint8Array(1024).fill(byte))
      assert.isAtMost(bytesOf(text).length, 1024)
      assert.match(text, /^\uFFFD+$/)
    }
  })
})
