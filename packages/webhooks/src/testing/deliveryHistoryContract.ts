import { bodyOf, EventId, EventLog } from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { Delivery } from "../Delivery.ts"
import type { Endpoint } from "../Endpoint.ts"
import { DeliveryHistory } from "../ports/DeliveryHistory.ts"
import { eventIdBound } from "../Replay.ts"
import { deliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  attemptsOf,
  claimOne,
  current,
  type DeliveryContractPorts,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  storeEvent,
  withNothingElsePending
} from "./storedDeliveries.ts"

const time = (text: string) => DateTime.makeUnsafe(text)

/** An event id of this moment. */
const idAt = (text: string) => EventId.make(eventIdBound(time(text)).slice(0, 13) + anId(EventId).slice(13))

const DELIVERED = { state: "delivered", attemptCount: 1, nextAttemptAt: null, deliveredAt: at(0) } as const

/** Stores a delivery of an event that happened at this moment, delivered by default. */
const storeAt = (endpoint: Endpoint, moment: string, override: Partial<Delivery> = DELIVERED) =>
  Effect.gen(function* () {
    const event = anEvent({ id: idAt(moment), organizationId: endpoint.organizationId })
    return yield* storeDelivery(endpoint, override, yield* storeEvent(endpoint, event))
  })

const forget = (before: string) => DeliveryHistory.use((history) => atomic(history.forget(time(before))))

const hasEvent = (delivery: Delivery) =>
  EventLog.use((log) => Effect.map(log.find([delivery.eventId]), (found) => found.length === 1))

/**
 * The contract of histories of deliveries. The months of the suite are long past; nobody else's deliveries may be there,
 * and nobody else may claim deliveries while it runs.
 */
export const deliveryHistoryContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<DeliveryContractPorts | DeliveryHistory, E>
) =>
  describe(`delivery history over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      // Preparing a month makes no difference to what is kept and what is forgotten.
      const kinds = [
        { which: "that are prepared", isPrepared: true, year: 2019 },
        { which: "that are not prepared", isPrepared: false, year: 2017 }
      ]
      for (const { isPrepared, which, year } of kinds) {
        const prepared = Effect.gen(function* () {
          if (!isPrepared) return
          const history = yield* DeliveryHistory
          yield* atomic(history.prepare(time(`${year}-01-15T00:00:00Z`), time(`${year}-04-01T00:00:00Z`)))
        })

        it.effect(`forgets the months before a time, and nothing later, of months ${which}`, () =>
          Effect.gen(function* () {
            yield* prepared
            const endpoint = yield* storeEndpoint()
            const old = [
              yield* storeAt(endpoint, `${year}-01-01T00:00:00.000Z`),
              yield* storeAt(endpoint, `${year}-01-31T23:59:59.999Z`, {
                state: "dead",
                stateReason: "retries_exhausted",
                nextAttemptAt: null
              })
            ]
            const later = [
              yield* storeAt(endpoint, `${year}-02-01T00:00:00.000Z`),
              yield* storeAt(endpoint, `${year}-03-15T00:00:00.000Z`)
            ]
            // January is not over.
            yield* forget(`${year}-01-31T23:59:59.999Z`)
            for (const delivery of old) assert.isDefined(yield* current(delivery))
            yield* forget(`${year}-02-20T00:00:00.000Z`)
            for (const delivery of old) {
              assert.isUndefined(yield* current(delivery))
              assert.isFalse(yield* hasEvent(delivery))
            }
            for (const delivery of later) {
              assert.deepStrictEqual(yield* current(delivery), delivery)
              assert.isTrue(yield* hasEvent(delivery))
            }
            yield* forget(`${year}-05-01T00:00:00.000Z`)
            for (const delivery of later) assert.isUndefined(yield* current(delivery))
          })
        )

        it.effect(`forgets no pending delivery, nor its attempts and its bytes, of months ${which}`, () =>
          withNothingElsePending(
            Effect.gen(function* () {
              yield* prepared
              const endpoint = yield* storeEndpoint()
              const other = yield* storeEndpoint({ organizationId: endpoint.organizationId })
              const event = anEvent({ id: idAt(`${year}-02-03T00:00:00Z`), organizationId: endpoint.organizationId })
              yield* storeEvent(endpoint, event)
              yield* storeDelivery(endpoint, { nextAttemptAt: at(0) }, event)
              yield* storeDelivery(other, DELIVERED, event)
              const failed = settlementOf(yield* claimOne(), { responseCode: 500, attemptedAt: at(0) })
              yield* settle(failed)
              yield* forget(`${year}-06-01T00:00:00Z`)
              const claimed = yield* claimOne()
              assert.deepInclude(claimed.delivery, { eventId: event.id, attemptCount: 1 })
              assert.strictEqual(claimed.body, bodyOf(event))
              assert.strictEqual((yield* attemptsOf(claimed.delivery)).length, 1)
              yield* settle(settlementOf(claimed))
              yield* forget(`${year}-06-01T00:00:00Z`)
              assert.isUndefined(yield* current(claimed.delivery))
              assert.isEmpty(yield* attemptsOf(claimed.delivery))
            })
          )
        )

        it.effect(`keeps everything when the transaction that forgets fails, of months ${which}`, () =>
          Effect.gen(function* () {
            yield* prepared
            const history = yield* DeliveryHistory
            const delivery = yield* storeAt(yield* storeEndpoint(), `${year}-03-03T00:00:00Z`)
            const forgetting = history.forget(time(`${year}-06-01T00:00:00Z`))
            yield* Effect.exit(atomic(Effect.andThen(forgetting, Effect.fail("refused"))))
            assert.deepStrictEqual(yield* current(delivery), delivery)
            yield* forget(`${year}-06-01T00:00:00Z`)
          })
        )
      }

      it.effect("prepares months in which something happened already, and loses nothing by it", () =>
        withNothingElsePending(
          Effect.gen(function* () {
            const history = yield* DeliveryHistory
            const endpoint = yield* storeEndpoint()
            const before = yield* storeAt(endpoint, "2015-03-10T00:00:00Z", { nextAttemptAt: at(0) })
            const prepare = atomic(history.prepare(time("2015-03-31T00:00:00Z"), time("2015-04-01T00:00:00Z")))
            yield* prepare
            yield* prepare
            assert.deepStrictEqual(yield* current(before), before)
            assert.isTrue(yield* hasEvent(before))
            const after = yield* storeAt(endpoint, "2015-03-10T00:00:00Z")
            assert.deepStrictEqual(yield* current(after), after)
            const claimed = yield* claimOne()
            assert.deepStrictEqual(claimed.delivery, before)
            yield* settle(settlementOf(claimed))
            yield* forget("2015-06-01T00:00:00Z")
            for (const delivery of [before, after]) assert.isUndefined(yield* current(delivery))
          })
        )
      )

      it.effect("lets several prepare at once", () =>
        Effect.gen(function* () {
          const history = yield* DeliveryHistory
          const prepare = atomic(history.prepare(time("2013-01-01T00:00:00Z"), time("2013-03-01T00:00:00Z")))
          yield* Effect.all([prepare, prepare, prepare], { concurrency: "unbounded" })
          const store = yield* deliveryStore
          const delivery = yield* storeAt(yield* storeEndpoint(), "2013-02-10T00:00:00Z")
          assert.deepStrictEqual(yield* store.find(delivery.endpointId, delivery.eventId), delivery)
          yield* forget("2014-01-01T00:00:00Z")
        })
      )
    })
  })
