/** Several deliveries, endpoints and workers at once. */
import type { ExchangeRequest } from "@agent-platform/kernel"
import { anAnswer } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { DeliveryStore } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
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
 * test at the latest. Begun after the worker, for a closing worker waits for what is in flight.
 */
const oneHangs = Effect.gen(function* () {
  const released = yield* Deferred.make<void>()
  yield* Effect.addFinalizer(() => Deferred.succeed(released, undefined))
  yield* receiver(({ url }) =>
    url === HANGING ? Effect.as(Deferred.await(released), anAnswer(200)) : Effect.succeed(anAnswer(200))
  )
  return released
})

const to = (url: string) => (requests: ReadonlyArray<ExchangeRequest>) =>
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
          all.every(({ delivery }) => isDelivered(delivery)) ? all : undefined
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

  it.effect("leaves what finds no room in its lane to other workers at once", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      yield* startWorker({ inFlightMax: 20, inFlightPerEndpointMax: 3 })
      yield* oneHangs
      const { caller } = yield* register({ url: HANGING })
      yield* publishMany(caller.organizationId, 2)
      yield* sentAtLeast(2)
      yield* publishMany(caller.organizationId, 5)
      yield* sentAtLeast(3)
      const now = yield* DateTime.now
      const left = yield* store.claimDue({ max: 20, perEndpoint: 20, except: [], leaseSeconds: 10, now })
      assert.strictEqual(left.length, 4)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("sends what waits for room as soon as there is some", () =>
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
      yield* startWorker({ inFlightMax: 3, inFlightPerEndpointMax: 2 })
      yield* oneHangs
      const caller = aCaller()
      for (let count = 0; count < 4; count++) yield* register({ caller, url: HANGING })
      yield* publishEvent(caller.organizationId)
      yield* sentAtLeast(3)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* sent).length, 3)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("looks for work once a poll, and no more often, while a full lane has more waiting", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      let claims = 0
      const counting = DeliveryStore.of({
        ...store,
        claimDue: (options) =>
          Effect.suspend(() => {
            claims++
            return store.claimDue(options)
          })
      })
      yield* Effect.provideService(startWorker({ inFlightPerEndpointMax: 1, pollSeconds: 1 }), DeliveryStore, counting)
      yield* oneHangs
      const { caller } = yield* register({ url: HANGING })
      yield* publishMany(caller.organizationId, 3)
      yield* sentAtLeast(1)
      yield* TestClock.adjust("1 second")
      claims = 0
      yield* TestClock.adjust("10 seconds")
      assert.isAtLeast(claims, 9)
      assert.isAtMost(claims, 11)
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

  it.effect("keeps its claim on a delivery whose exchange lasts longer than a claim holds", () =>
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
