/** The state table of the spec, row by row. Spec: Webhook delivery. */
import { type AttemptOutcome, Delivery, newDelivery } from "@agent-platform/webhooks"
import { aDelivery, anAttempt, anEndpoint } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const STARTED = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")
const later = (millis: number) => DateTime.add(STARTED, { milliseconds: millis })

const outcome = (override: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
  ...anAttempt({ attemptedAt: STARTED, durationMillis: 700 }),
  retryAfterSeconds: undefined,
  ...override
})

const NO_JITTER = 0

describe("a pending delivery", () => {
  it.each([200, 201, 202, 204, 299])("is delivered by an answer of %i", (responseCode) => {
    const delivery = Delivery.afterAttempt(aDelivery(), outcome({ responseCode }), NO_JITTER)
    assert.deepInclude(delivery, { state: "delivered", stateReason: null, nextAttemptAt: null, attemptCount: 1 })
    assert.deepStrictEqual(delivery.deliveredAt, later(700))
  })

  it.each([100, 199, 300, 301, 304, 400, 401, 404, 410, 418, 429, 500, 503, 599])(
    "stays pending after an answer of %i",
    (responseCode) => {
      const delivery = Delivery.afterAttempt(aDelivery(), outcome({ responseCode }), NO_JITTER)
      assert.deepInclude(delivery, { state: "pending", attemptCount: 1, failures: 1, deliveredAt: null })
    }
  )

  it("stays pending after a request without an answer", () => {
    const delivery = Delivery.afterAttempt(
      aDelivery(),
      outcome({ responseCode: null, error: "timeout: no answer" }),
      NO_JITTER
    )
    assert.deepInclude(delivery, { state: "pending", attemptCount: 1, failures: 1, deliveredAt: null })
  })

  it("is tried again one minute after the end of its first failure", () => {
    const delivery = Delivery.afterAttempt(aDelivery(), outcome({ responseCode: 503 }), 0.7)
    assert.deepStrictEqual(delivery.nextAttemptAt, later(700 + 60_000))
  })

  it("is tried again later when the receiver asks for it, from its second failure on", () => {
    const asked = outcome({ responseCode: 429, retryAfterSeconds: 3600 })
    const once = Delivery.afterAttempt(aDelivery(), asked, NO_JITTER)
    assert.deepStrictEqual(once.nextAttemptAt, later(700 + 60_000))
    assert.deepStrictEqual(Delivery.afterAttempt(once, asked, NO_JITTER).nextAttemptAt, later(700 + 3_600_000))
  })

  it("is dead when its eleventh attempt in a row has failed", () => {
    let delivery = aDelivery()
    for (let attempt = 1; attempt <= 10; attempt++) {
      delivery = Delivery.afterAttempt(delivery, outcome({ responseCode: 500 }), NO_JITTER)
      assert.strictEqual(delivery.state, "pending", `after ${attempt} failures`)
    }
    delivery = Delivery.afterAttempt(delivery, outcome({ responseCode: 500 }), NO_JITTER)
    assert.deepInclude(delivery, {
      state: "dead",
      stateReason: "retries_exhausted",
      attemptCount: 11,
      nextAttemptAt: null,
      deliveredAt: null
    })
  })

  it("is delivered by a success that comes after failures", () => {
    const failed = Delivery.afterAttempt(aDelivery(), outcome({ responseCode: 500 }), NO_JITTER)
    const delivery = Delivery.afterAttempt(failed, outcome({ responseCode: 200 }), NO_JITTER)
    assert.deepInclude(delivery, { state: "delivered", attemptCount: 2, nextAttemptAt: null })
  })
})

describe("a replay", () => {
  const NOW = later(3_600_000)

  it.each([
    aDelivery({ state: "dead", stateReason: "retries_exhausted", attemptCount: 11, failures: 11, nextAttemptAt: null }),
    aDelivery({ state: "dead", stateReason: "endpoint_deleted", attemptCount: 2, failures: 2, nextAttemptAt: null }),
    aDelivery({ state: "dead", stateReason: "endpoint_disabled", nextAttemptAt: null }),
    aDelivery({ state: "delivered", attemptCount: 1, nextAttemptAt: null, deliveredAt: STARTED }),
    aDelivery({ attemptCount: 4, failures: 4, nextAttemptAt: later(7_200_000) })
  ])("makes a delivery that is $state ($stateReason) pending and due now", (delivery) => {
    assert.deepStrictEqual(Delivery.replayed(delivery, NOW), {
      ...delivery,
      state: "pending",
      stateReason: null,
      failures: 0,
      nextAttemptAt: NOW,
      deliveredAt: null
    })
  })

  it("starts the schedule anew, so that eleven more attempts may follow", () => {
    let delivery = Delivery.replayed(
      aDelivery({ state: "dead", attemptCount: 11, failures: 11, nextAttemptAt: null }),
      NOW
    )
    const first = Delivery.afterAttempt(delivery, outcome({ responseCode: 500 }), 1)
    assert.deepStrictEqual(first.nextAttemptAt, later(700 + 60_000))
    for (let attempt = 1; attempt <= 11; attempt++) {
      delivery = Delivery.afterAttempt(delivery, outcome({ responseCode: 500 }), NO_JITTER)
    }
    assert.deepInclude(delivery, { state: "dead", attemptCount: 22 })
  })
})

describe("a new delivery", () => {
  const event = { id: aDelivery().eventId, type: "run.failed" }

  it("is pending and due at once where the endpoint is active", () => {
    const endpoint = anEndpoint()
    assert.deepStrictEqual(
      newDelivery(endpoint, event, STARTED),
      aDelivery({
        endpointId: endpoint.id,
        eventId: event.id,
        organizationId: endpoint.organizationId,
        eventType: "run.failed",
        nextAttemptAt: STARTED,
        createdAt: STARTED
      })
    )
  })

  it("is dead at once where the endpoint is disabled, for a replay to send it later", () => {
    const delivery = newDelivery(anEndpoint({ status: "disabled" }), event, STARTED)
    assert.deepInclude(delivery, { state: "dead", stateReason: "endpoint_disabled", nextAttemptAt: null })
  })

  it("is dead of the deletion where the endpoint is deleted", () => {
    const delivery = newDelivery(anEndpoint({ status: "deleted" }), event, STARTED)
    assert.deepInclude(delivery, { state: "dead", stateReason: "endpoint_deleted", nextAttemptAt: null })
  })
})

describe("a delivery, whatever happens to it", () => {
  const Step = Schema.Union([
    Schema.TaggedStruct("Attempt", {
      responseCode: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 }))),
      durationMillis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15_000 })),
      jitter: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
      retryAfterSeconds: Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })))
    }),
    Schema.TaggedStruct("Replay", {}),
    Schema.TaggedStruct("Status", { status: Schema.Literals(["active", "disabled", "deleted"]) })
  ])

  it.prop(
    "is pending exactly while it has a next attempt, counts every attempt, and dies of the eleventh failure in a row",
    { steps: Schema.Array(Step).check(Schema.isMaxLength(60)) },
    ({ steps }) => {
      let delivery = aDelivery({ nextAttemptAt: STARTED })
      for (const step of steps) {
        const before = delivery
        if (step._tag === "Replay") delivery = Delivery.replayed(delivery, STARTED)
        if (step._tag === "Status") delivery = Delivery.underEndpointStatus(delivery, step.status)
        if (step._tag === "Attempt" && delivery.state === "pending") {
          const { durationMillis, jitter, responseCode, retryAfterSeconds } = step
          delivery = Delivery.afterAttempt(
            delivery,
            outcome({ responseCode, durationMillis, retryAfterSeconds }),
            jitter
          )
          assert.strictEqual(delivery.attemptCount, before.attemptCount + 1)
          const isDelivered = responseCode !== null && responseCode >= 200 && responseCode <= 299
          assert.strictEqual(delivery.state === "delivered", isDelivered)
          assert.strictEqual(delivery.state === "dead", !isDelivered && before.failures === 10)
          if (delivery.nextAttemptAt !== null) {
            const waited = Number(delivery.nextAttemptAt.epochMilliseconds) - later(durationMillis).epochMilliseconds
            assert.isAtLeast(waited, 60_000)
            assert.isAtMost(waited, 12 * 3_600_000)
          }
        } else {
          assert.strictEqual(delivery.attemptCount, before.attemptCount)
        }
        assert.strictEqual(delivery.state === "pending", delivery.nextAttemptAt !== null)
        assert.strictEqual(delivery.state === "delivered", delivery.deliveredAt !== null)
        assert.strictEqual(delivery.state === "dead", delivery.stateReason !== null)
        assert.deepStrictEqual([delivery.endpointId, delivery.eventId], [before.endpointId, before.eventId])
      }
    }
  )
})
