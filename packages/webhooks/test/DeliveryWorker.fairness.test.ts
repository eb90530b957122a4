/** Several deliveries, endpoints and workers at once. */
import type { OutgoingRequest } from "@agent-platform/kernel"
import { aResponse } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { DeliveryQueue } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { SLOW_MILLIS } from "../src/worker/limits.ts"
import { deliveriesTo, publishEvent, register } from "./support.ts"
import {
  deliveryOnce,
  eventually,
  isDelivered,
  quiet,
  receiver,
  sent,
  sentAtLeast,
  startWorker
} from "./workerSupport.ts"

const HANGING = "https://hanging.example.com/"

/**
 * Answers 200 at once, except at `HANGING`: there only when the deferred it answers is done, which is at the end of the
 * test at the latest. Begun after the worker, for a closing worker waits for what is in flight. `begunAt` takes in when each
 * request came, in milliseconds.
 */
const hanging = Effect.fnUntraced(function* (begunAt: Array<number> = []) {
  const released = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(released, undefined))
  yield* receiver(({ url }) =>
    Effect.gen(function* () {
      begunAt.push(yield* Clock.currentTimeMillis)
      if (url === HANGING) yield* Deferred.await(released)
      return aResponse(200)
    })
  )
  return released
})

const oneHangs = hanging()

const to = (url: string) => (requests: ReadonlyArray<OutgoingRequest>) =>
  requests.filter((request) => request.url === url).length

const publishMany = (organizationId: Parameters<typeof publishEvent>[0], count: number) =>
  Effect.forEach(Array.from({ length: count }), () => publishEvent(organizationId))

describe("a delivery worker", () => {
  it.effect("goes on delivering to others while one endpoint hangs", () =>
    Effect.gen(function* () {
      yield* startWorker({ inFlightMax: 4, inFlightPerEndpointMax: 2 })
      const released = yield* oneHangs
      const hanging = yield* register({ url: HANGING })
      const prompt = yield* register({ url: "https://prompt.example.com/" })
      yield* publishMany(hanging.caller.organizationId, 10)
      yield* eventually(Effect.map(sent, (requests) => (to(HANGING)(requests) === 2 ? true : undefined)))
      const events = yield* publishMany(prompt.caller.organizationId, 10)
      for (const eventId of events) yield* deliveryOnce(prompt.endpoint, eventId, isDelivered)
      assert.strictEqual(to(HANGING)(yield* sent), 2)

      yield* Deferred.succeed(released, undefined)
      yield* eventually(
        Effect.map(deliveriesTo(hanging.endpoint), (all) =>
          all.length === 10 && all.every(({ delivery }) => isDelivered(delivery)) ? all : undefined
        )
      )
      assert.strictEqual((yield* sent).length, 20)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("has no more in flight to one endpoint than its lane holds, however they come in", () =>
    Effect.gen(function* () {
      yield* startWorker({ inFlightMax: 20, inFlightPerEndpointMax: 3 })
      yield* oneHangs
      const { caller } = yield* register({ url: HANGING })
      yield* publishMany(caller.organizationId, 2)
      yield* sentAtLeast(2)
      yield* publishMany(caller.organizationId, 5)
      yield* sentAtLeast(3)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* sent).length, 3)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("leaves deliveries that wait at their endpoint to other workers once it has waited for a second", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryQueue
      yield* startWorker({ inFlightMax: 20, inFlightPerEndpointMax: 3 })
      yield* oneHangs
      const { caller, endpoint } = yield* register({ url: HANGING })
      yield* publishMany(caller.organizationId, 7)
      yield* sentAtLeast(3)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* deliveriesTo(endpoint)).length, 7)
      const left = yield* store.claimDue({
        max: 20,
        perEndpoint: 20,
        perOrganization: 20,
        endpointLimits: new Map(),
        leaseSeconds: 10
      })
      // The endpoint is slow by now, and four in flight are as many as a slow one gets.
      assert.isAtLeast(left.length, 3)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("sends waiting deliveries as soon as their endpoint is below its limit", () =>
    Effect.gen(function* () {
      yield* receiver()
      yield* startWorker({ inFlightPerEndpointMax: 1, pollSeconds: 3600 })
      const { caller, endpoint } = yield* register()
      for (const eventId of yield* publishMany(caller.organizationId, 4)) {
        yield* deliveryOnce(endpoint, eventId, isDelivered)
      }
      assert.isBelow(DateTime.toEpochMillis(yield* DateTime.now), 10_000)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("has no more in flight in all than it may", () =>
    Effect.gen(function* () {
      const begunAt: Array<number> = []
      yield* startWorker({ inFlightMax: 3, inFlightPerEndpointMax: 2 })
      yield* hanging(begunAt)
      for (let count = 0; count < 4; count++) {
        const { caller } = yield* register({ url: HANGING })
        yield* publishEvent(caller.organizationId)
      }
      yield* sentAtLeast(4)
      const [first = 0, , , fourth = 0] = begunAt
      // By then one is slow, and its place is free again.
      assert.isAtLeast(fourth - first, SLOW_MILLIS)
    }).pipe(Effect.provide(quiet))
  )

  // The limit of an endpoint would not help: ten endpoints of sixteen fill any worker.
  it.effect("goes on delivering to other organizations while every endpoint of one hangs", () =>
    Effect.gen(function* () {
      yield* startWorker({ inFlightMax: 16, inFlightPerEndpointMax: 8 })
      const released = yield* oneHangs
      const caller = aCaller()
      for (let count = 0; count < 10; count++) yield* register({ caller, url: HANGING })
      yield* publishMany(caller.organizationId, 10)
      yield* sentAtLeast(8)
      assert.strictEqual((yield* sent).length, 8)
      const prompt = yield* register({ url: "https://prompt.example.com/" })
      const startedAt = DateTime.toEpochMillis(yield* DateTime.now)
      const events = yield* publishMany(prompt.caller.organizationId, 20)
      for (const eventId of events) yield* deliveryOnce(prompt.endpoint, eventId, isDelivered)
      assert.isBelow(DateTime.toEpochMillis(yield* DateTime.now) - startedAt, 5_000)
      yield* Deferred.succeed(released, undefined)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("sends an endpoint that failed three times one delivery at a time until one gets through", () =>
    Effect.gen(function* () {
      let inFlight = 0
      let most = 0
      let isUp = false
      yield* receiver(() =>
        Effect.gen(function* () {
          inFlight++
          most = Math.max(most, inFlight)
          yield* Effect.sleep("20 millis")
          inFlight--
          return aResponse(isUp ? 200 : 503)
        })
      )
      yield* startWorker({ inFlightPerEndpointMax: 8 })
      const { caller, endpoint } = yield* register()
      yield* publishMany(caller.organizationId, 3)
      yield* eventually(
        Effect.map(deliveriesTo(endpoint), (all) =>
          all.length === 3 && all.every(({ delivery }) => delivery.failures === 1) ? true : undefined
        )
      )
      most = 0
      const probed = yield* publishMany(caller.organizationId, 6)
      yield* sentAtLeast(6)
      assert.strictEqual(most, 1)
      isUp = true
      for (const eventId of probed) yield* deliveryOnce(endpoint, eventId, (delivery) => delivery.attemptCount > 0)
      most = 0
      yield* publishMany(caller.organizationId, 6)
      yield* sentAtLeast(15)
      assert.isAbove(most, 1)
    }).pipe(Effect.provide(quiet))
  )

  it.effect(
    "looks for due deliveries no more than four times a second while an endpoint at its limit keeps them waiting",
    () =>
      Effect.gen(function* () {
        const store = yield* DeliveryQueue
        let claims = 0
        const counting = DeliveryQueue.of({
          ...store,
          claimDue: (options) =>
            Effect.suspend(() => {
              claims++
              return store.claimDue(options)
            })
        })
        yield* Effect.provideService(
          startWorker({ inFlightPerEndpointMax: 1, pollSeconds: 1 }),
          DeliveryQueue,
          counting
        )
        yield* oneHangs
        const { caller } = yield* register({ url: HANGING })
        yield* publishMany(caller.organizationId, 3)
        yield* sentAtLeast(1)
        yield* TestClock.adjust("3 seconds")
        claims = 0
        yield* TestClock.adjust("10 seconds")
        assert.isAtLeast(claims, 5)
        assert.isAtMost(claims, 40)
      }).pipe(Effect.provide(quiet))
  )

  it.effect("shares the work with another worker, so that each event is sent once", () =>
    Effect.gen(function* () {
      yield* receiver()
      yield* startWorker({ inFlightMax: 3 })
      yield* startWorker({ inFlightMax: 3 })
      const { caller, endpoint } = yield* register()
      const events = yield* publishMany(caller.organizationId, 40)
      for (const eventId of events) yield* deliveryOnce(endpoint, eventId, isDelivered)
      const ids = (yield* sent).map((request) => request.headers["x-service-event-id"])
      assert.sameMembers(ids, events)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("keeps its claim on a delivery whose request lasts longer than a claim holds", () =>
    Effect.gen(function* () {
      yield* startWorker({ leaseSeconds: 10, renewSeconds: 3 })
      yield* startWorker({ leaseSeconds: 10, renewSeconds: 3 })
      const released = yield* oneHangs
      const { caller, endpoint } = yield* register({ url: HANGING })
      const eventId = yield* publishEvent(caller.organizationId)
      yield* sentAtLeast(1)
      yield* TestClock.adjust("45 seconds")
      yield* Deferred.succeed(released, undefined)
      const { attempts } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.strictEqual(attempts.length, 1)
      assert.strictEqual((yield* sent).length, 1)
    }).pipe(Effect.provide(quiet))
  )
})
