/** Faults that a delivery worker survives. The store is away for its first calls and then works. */
import { Outbox } from "@agent-platform/kernel"
import { aResponse } from "@agent-platform/kernel/memory"
import { DeliveryQueue, DeliverySettlement, EventDispatch } from "@agent-platform/webhooks"
import { type DeliveryStore, deliveryStore, portsOf } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { publishEvent, register, takeEvents } from "./support.ts"
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

/** Dies so many times before it succeeds. */
const away = (times: number) => {
  let left = times
  return Effect.suspend(() => (left-- > 0 ? Effect.die(new Error("The database is away")) : Effect.void))
}

const faults: Record<string, (store: DeliveryStore, trip: Effect.Effect<void>) => Partial<DeliveryStore>> = {
  "handed out": (store, trip) => ({ existing: (keys) => Effect.andThen(trip, store.existing(keys)) }),
  claimed: (store, trip) => ({ claimDue: (options) => Effect.andThen(trip, store.claimDue(options)) }),
  settled: (store, trip) => ({ insertAttempted: (rows) => Effect.andThen(trip, store.insertAttempted(rows)) }),
  "looked for": (store, trip) => ({ millisUntilDue: Effect.andThen(trip, store.millisUntilDue) })
}

/** Publishes an event that another worker has taken and given back: what is written of it is looked for when it is handed out. */
const publishAndTake = Effect.fnUntraced(function* (organizationId: Parameters<typeof publishEvent>[0]) {
  const id = yield* publishEvent(organizationId)
  const { events } = yield* takeEvents
  yield* Outbox.use((outbox) => outbox.release(events.map(({ taken }) => taken)))
  return id
})

const withFault = (fault: keyof typeof faults) =>
  Layer.provideMerge(
    Layer.effectContext(
      Effect.map(deliveryStore, (store) => portsOf({ ...store, ...faults[fault]?.(store, away(2)) }))
    ),
    quiet
  )

describe("a delivery worker", () => {
  it.effect.each(Object.keys(faults))("sends an event once, though the database was away when it was %s", (fault) =>
    Effect.gen(function* () {
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishAndTake(caller.organizationId)
      yield* startWorker()
      const { attempts } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.strictEqual(attempts.length, 1)
      assert.strictEqual((yield* sent).length, 1)
    }).pipe(Effect.provide(withFault(fault)))
  )

  it.effect("sends an event though the outbox was away", () =>
    Effect.gen(function* () {
      const queue = yield* EventDispatch
      const trip = away(2)
      yield* Effect.provideService(startWorker(), EventDispatch, {
        take: (max) => Effect.andThen(trip, queue.take(max))
      })
      const { caller, endpoint } = yield* register()
      yield* deliveryOnce(endpoint, yield* publishEvent(caller.organizationId), isDelivered)
    }).pipe(Effect.provide(quiet))
  )

  // Events that are held by a worker which lives are nobody else's, so one that gave up on them would lose them.
  it.effect("sends an event though it could neither be handed out nor given back", () =>
    Effect.gen(function* () {
      const [store, outbox] = [yield* DeliverySettlement, yield* Outbox]
      const [looking, releasing] = [away(2), away(2)]
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishAndTake(caller.organizationId)
      yield* startWorker().pipe(
        Effect.provideService(DeliverySettlement, {
          ...store,
          existing: (keys) => Effect.andThen(looking, store.existing(keys))
        }),
        Effect.provideService(Outbox, {
          ...outbox,
          release: (events) => Effect.andThen(releasing, outbox.release(events))
        })
      )
      yield* deliveryOnce(endpoint, eventId, isDelivered)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("gives the events back that it could not hand out when it closes", () =>
    Effect.gen(function* () {
      const store = yield* DeliverySettlement
      const tried = yield* Deferred.make<void>()
      const existing = () =>
        Effect.andThen(Deferred.succeed(tried, undefined), Effect.die(new Error("The database is away")))
      const { caller } = yield* register()
      yield* publishAndTake(caller.organizationId)
      const worker = yield* Effect.provideService(startWorker(), DeliverySettlement, { ...store, existing })
      yield* Deferred.await(tried)
      yield* worker.close
      assert.strictEqual((yield* takeEvents).events.length, 1)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("that froze for longer than its lease sends what another has sent, and adds nothing to its record", () =>
    Effect.gen(function* () {
      const queue = yield* EventDispatch
      const [frozen, thawed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.provideService(startWorker(), EventDispatch, {
        take: (max) =>
          Effect.tap(queue.take(max), ({ events }) =>
            events.length === 0
              ? Effect.void
              : Effect.andThen(Deferred.succeed(frozen, undefined), Deferred.await(thawed))
          )
      })
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      yield* eventually(Effect.map(Deferred.isDone(frozen), (isDone) => isDone || undefined))
      yield* startWorker()
      yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.strictEqual((yield* sent).length, 1)
      yield* Deferred.succeed(thawed, undefined)
      yield* sentAtLeast(2)
      yield* TestClock.adjust("1 second")
      const { attempts, delivery } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.deepStrictEqual([attempts.length, delivery.attemptCount], [1, 1])
      assert.isUndefined(yield* Outbox.use(({ oldest }) => oldest))
    }).pipe(Effect.provide(quiet))
  )

  it.effect("keeps its claim though renewing it failed", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryQueue
      const trip = away(1)
      const faulty = DeliveryQueue.of({
        ...store,
        renew: (tokens, seconds) => Effect.andThen(trip, store.renew(tokens, seconds))
      })
      yield* receiver(() => Effect.delay(Effect.succeed(aResponse(200)), "14 seconds"))
      yield* Effect.provideService(startWorker(), DeliveryQueue, faulty)
      const { caller, endpoint } = yield* register()
      yield* deliveryOnce(endpoint, yield* publishEvent(caller.organizationId), isDelivered)
      assert.strictEqual((yield* sent).length, 1)
    }).pipe(Effect.provide(quiet))
  )

  it.effect("makes an attempt that died again when its claim has lapsed, and counts it once", () =>
    Effect.gen(function* () {
      const trip = away(1)
      yield* receiver(() => Effect.as(trip, aResponse(200)))
      yield* startWorker()
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      const { attempts, delivery } = yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.strictEqual((yield* sent).length, 2)
      assert.strictEqual(delivery.attemptCount, 1)
      const attemptedAt = Number(attempts[0]?.attemptedAt.epochMilliseconds)
      assert.isAtLeast(attemptedAt, 10_000)
      assert.isAtMost(attemptedAt, 15_000, "a lost claim is retaken within 15 s")
    }).pipe(Effect.provide(quiet))
  )

  it.effect(
    "makes an attempt again that died while its delivery was getting a row, and its event is through once",
    () =>
      Effect.gen(function* () {
        const store = yield* DeliverySettlement
        const [writing, written, dying] = [
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>(),
          yield* Deferred.make<void>()
        ]
        const trip = away(1)
        yield* receiver(() => Effect.as(Effect.andThen(Deferred.await(dying), trip), aResponse(200)))
        yield* Effect.provideService(startWorker({ leaseSeconds: 10 }), DeliverySettlement, {
          ...store,
          insertClaimed: (rows, seconds) =>
            Deferred.succeed(writing, undefined).pipe(
              Effect.andThen(Deferred.await(written)),
              Effect.andThen(store.insertClaimed(rows, seconds))
            )
        })
        const { caller, endpoint } = yield* register()
        const eventId = yield* publishEvent(caller.organizationId)
        yield* eventually(Effect.map(Deferred.isDone(writing), (isDone) => isDone || undefined))
        yield* Deferred.succeed(dying, undefined)
        yield* TestClock.adjust("20 millis")
        yield* Deferred.succeed(written, undefined)
        const { delivery } = yield* deliveryOnce(endpoint, eventId, isDelivered)
        assert.strictEqual(delivery.attemptCount, 1)
        assert.strictEqual((yield* sent).length, 2)
      }).pipe(Effect.provide(quiet))
  )

  // The process is to end: what it could not write is sent again by another.
  it.effect("closes within a bound while the database is away, and hands its events back", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const tried = yield* Deferred.make<void>()
      const gone = () => Effect.die(new Error("The database is away"))
      const faulty = {
        ...store,
        insertAttempted: () => Effect.andThen(Deferred.succeed(tried, undefined), gone()),
        insert: gone,
        insertClaimed: gone,
        claimDue: gone,
        settle: gone
      }
      const worker = yield* Effect.provide(startWorker(), portsOf(faulty))
      const { caller, endpoint } = yield* register()
      const eventId = yield* publishEvent(caller.organizationId)
      yield* eventually(Effect.map(Deferred.isDone(tried), (isDone) => isDone || undefined))
      const closing = yield* Effect.forkChild(worker.close, { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(closing.pollUnsafe())
      yield* startWorker()
      yield* deliveryOnce(endpoint, eventId, isDelivered)
      assert.strictEqual((yield* sent).length, 2)
    }).pipe(Effect.provide(quiet))
  )
})
