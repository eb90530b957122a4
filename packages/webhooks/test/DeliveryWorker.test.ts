/** Spec: Delivery and replay. */
import { createHmac } from "node:crypto"
import { bodyOf, EventLog, RequestFailed } from "@agent-platform/kernel"
import { aResponse } from "@agent-platform/kernel/memory"
import { Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { deliveriesTo, publishEvent, register, storedEndpoint } from "./support.ts"
import { deliveryOnce, isDelivered, quiet, receiver, sent, sentAtLeast, startWorker } from "./workerSupport.ts"

describe("a delivery worker", () => {
  it.effect("delivers a published event at once: its exact bytes, signed with the endpoint's secret", () =>
    Effect.gen(function* () {
      yield* startWorker({ pollSeconds: 3600 })
      const { caller, endpoint, secret } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId, "run.succeeded")
      const { attempts, delivery } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      const [event] = yield* EventLog.use((log) => log.find([eventId]))
      const body = event && bodyOf(event)
      const [request, ...more] = yield* sent
      assert.isEmpty(more)
      assert.strictEqual(request?.body, body)
      const [, time, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(request?.headers["x-service-signature"] ?? "") ?? []
      assert.strictEqual(v1, createHmac("sha256", Redacted.value(secret)).update(`${time}.${body}`).digest("hex"))
      assert.strictEqual(request?.headers["x-service-event-id"], eventId)
      assert.strictEqual(request?.headers["x-service-event-type"], "run.succeeded")
      assert.deepInclude(delivery, { attemptCount: 1, nextAttemptAt: null })
      assert.deepInclude(attempts[0], { number: 1, responseCode: 200, error: null })
      assert.isBelow(DateTime.toEpochMillis(delivery.createdAt), 1000)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("tries again exactly 60 seconds after the end of a first failure, with the same id and bytes", () =>
    Effect.gen(function* () {
      yield* receiver(() => Effect.succeed({ ...aResponse(503), durationMillis: 250 }))
      yield* startWorker()
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      const failed = yield* deliveryOnce(endpoint, eventId, (delivery) => delivery.attemptCount === 1)
      const due = Number(failed.delivery.nextAttemptAt?.epochMilliseconds)
      assert.strictEqual(due, Number(failed.attempts[0]?.attemptedAt.epochMilliseconds) + 250 + 60_000)

      yield* receiver()
      yield* TestClock.setTime(due - 1)
      assert.strictEqual((yield* sent).length, 1)
      const { attempts } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.deepStrictEqual(
        attempts.map((attempt) => [attempt.number, attempt.responseCode]),
        [
          [1, 503],
          [2, 200]
        ]
      )
      assert.closeTo(Number(attempts[1]?.attemptedAt.epochMilliseconds), due, 50)

      const [first, second] = yield* sent
      assert.strictEqual(second?.body, first?.body)
      assert.strictEqual(second?.headers["x-service-event-id"], first?.headers["x-service-event-id"])
      assert.notStrictEqual(second?.headers["x-service-signature"], first?.headers["x-service-signature"])
    }).pipe(Effect.provide(quiet))
  )

  it.effect("gives up after eleven attempts over two and a half days, and starts over at a replay", () =>
    Effect.gen(function* () {
      const timeout = new RequestFailed({
        reason: "timeout",
        detail: "No answer",
        remoteAddress: null,
        durationMillis: 15_000
      })
      yield* receiver(() => Effect.fail(timeout))
      yield* startWorker({ pollSeconds: 24 * 3600, renewSeconds: 24 * 3600 })
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      for (let failures = 1; failures <= 10; failures++) {
        const { delivery } = yield* deliveryOnce(endpoint, eventId, (found) => found.failures === failures)
        assert.strictEqual(delivery.state, "pending")
        yield* TestClock.setTime(Number(delivery.nextAttemptAt?.epochMilliseconds))
      }
      const { attempts, delivery } = yield* deliveryOnce(endpoint, eventId, (found) => found.state !== "pending")
      assert.deepInclude(delivery, { state: "dead", stateReason: "retries_exhausted", attemptCount: 11 })
      assert.strictEqual(attempts.length, 11)
      const [first, last] = [attempts[0], attempts[10]].map((attempt) => Number(attempt?.attemptedAt.epochMilliseconds))
      const hours = (Number(last) - Number(first)) / 3_600_000
      assert.isAtLeast(hours, 59)
      assert.isAtMost(hours, 65.7)

      yield* receiver()
      yield* Webhooks.use((webhooks) => webhooks.replayDelivery({ caller, endpointId: endpoint.id, eventId }))
      const replayed = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.deepInclude(replayed.delivery, { attemptCount: 12, failures: 0 })
      assert.strictEqual(replayed.attempts.length, 12)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("counts a signing secret that cannot be opened as a failed attempt", () =>
    Effect.gen(function* () {
      yield* startWorker()
      const endpoint = yield* storedEndpoint({ sealedSecret: "sealed by a key that is gone" })
      const eventId = yield* publishEvent(endpoint.organizationId)
      const { attempts, delivery } = yield* deliveryOnce(endpoint, eventId, (found) => found.attemptCount === 1)
      assert.deepInclude(delivery, { state: "pending", failures: 1 })
      assert.match(attempts[0]?.error ?? "", /^secret_unreadable: /)
      assert.isEmpty(yield* sent)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("sends nothing to an endpoint that is disabled", () =>
    Effect.gen(function* () {
      yield* startWorker()
      const disabled = yield* storedEndpoint({ status: "disabled" })
      const { caller, endpoint } = yield* register({ url: "https://active.example.com/" })
      yield* publishEvent(disabled.organizationId)
      yield* deliveryOnce(endpoint, yield* publishEvent(caller.organizationId), isDelivered)
      assert.deepStrictEqual(
        (yield* sent).map((request) => request.url),
        ["https://active.example.com/"]
      )
      assert.deepInclude((yield* deliveriesTo(disabled))[0]?.delivery, { state: "dead", attemptCount: 0 })
    }).pipe(Effect.provide(quiet))
  )

  it.effect("waits, when it closes, for the request in flight, settles it and takes up nothing new", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      yield* receiver(() => Effect.as(Deferred.await(answer), aResponse(200)))
      const worker = yield* startWorker()
      const { caller, endpoint } = yield* register()
      const inFlight = yield* publishEvent(caller.organizationId)
      yield* sentAtLeast(1)
      const closing = yield* Effect.forkChild(worker.close, { startImmediately: true })
      const later = yield* publishEvent(caller.organizationId)
      // Longer than a claim holds unrenewed: a closing worker keeps what it still has in flight.
      yield* TestClock.adjust("14 seconds")
      assert.isUndefined(closing.pollUnsafe())
      assert.strictEqual((yield* sent).length, 1)

      yield* Deferred.succeed(answer, undefined)
      const { delivery } = yield* deliveryOnce(endpoint, inFlight, isDelivered)
      assert.strictEqual(delivery.attemptCount, 1)
      yield* TestClock.adjust("1 second")
      assert.isDefined(closing.pollUnsafe())

      yield* startWorker()
      yield* deliveryOnce(endpoint, later, isDelivered)
      assert.strictEqual((yield* sent).length, 2)
    }).pipe(Effect.provide(quiet))
  )
})
