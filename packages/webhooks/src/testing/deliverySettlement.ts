import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { replayed } from "../Delivery.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import {
  alone,
  at,
  atomic,
  attemptsOf,
  type Cases,
  claimAt,
  claimOneAt,
  current,
  LEASE_SECONDS,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  storeOne
} from "./storedDeliveries.ts"

/** How an attempt is written, and whose attempt counts. */
export const settlementCases: Cases = (it) => {
  it.effect("writes what an attempt came to, and answers the claim's token", () =>
    alone(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOneAt(at(0)))
        assert.deepStrictEqual(yield* settle(settlement), new Set([settlement.claimToken]))
        assert.deepStrictEqual(yield* current(delivery), settlement.delivery)
        assert.deepStrictEqual(yield* attemptsOf(delivery), [settlement.attempt])
      })
    )
  )

  it.effect("hands out a settled delivery when its retry is due, and not when its lease would have been over", () =>
    alone(
      Effect.gen(function* () {
        yield* storeOne
        const failed = settlementOf(yield* claimOneAt(at(0)), {
          responseCode: 503,
          attemptedAt: at(0),
          durationMillis: 0
        })
        yield* settle(failed)
        assert.isEmpty(yield* claimAt(at(59)))
        assert.deepStrictEqual((yield* claimOneAt(at(60))).delivery, failed.delivery)
      })
    )
  )

  it.effect("settles many at once, and of them those whose claims still hold", () =>
    alone(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const [lost, kept] = [yield* storeDelivery(endpoint), yield* storeDelivery(endpoint, { nextAttemptAt: at(1) })]
        const early = settlementOf(yield* claimOneAt(at(0)))
        const late = settlementOf(yield* claimOneAt(at(5)))
        const again = yield* claimOneAt(at(LEASE_SECONDS))
        assert.deepStrictEqual(again.delivery, lost)
        assert.deepStrictEqual(yield* settle(early, late), new Set([late.claimToken]))
        assert.deepStrictEqual(yield* current(lost), lost)
        assert.isEmpty(yield* attemptsOf(lost))
        assert.deepStrictEqual(yield* current(kept), late.delivery)
      })
    )
  )

  it.effect("settles nothing for a claim that lapsed and was taken over", () =>
    alone(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const stale = settlementOf(yield* claimOneAt(at(0)), { responseCode: 500 })
        const fresh = settlementOf(yield* claimOneAt(at(LEASE_SECONDS)))
        assert.isEmpty(yield* settle(stale))
        assert.deepStrictEqual(yield* settle(fresh), new Set([fresh.claimToken]))
        assert.deepStrictEqual(yield* current(delivery), fresh.delivery)
        assert.deepStrictEqual(yield* attemptsOf(delivery), [fresh.attempt])
      })
    )
  )

  it.effect("settles nothing for a claim that was released", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOneAt(at(0)))
        yield* store.release([settlement.claimToken])
        assert.isEmpty(yield* settle(settlement))
        assert.deepStrictEqual(yield* current(delivery), delivery)
        assert.isEmpty(yield* attemptsOf(delivery))
      })
    )
  )

  it.effect("settles a claim once", () =>
    alone(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOneAt(at(0)), { responseCode: 503 })
        yield* settle(settlement)
        assert.isEmpty(yield* settle(settlement))
        assert.deepStrictEqual(yield* attemptsOf(delivery), [settlement.attempt])
      })
    )
  )

  it.effect("keeps the claim, and nothing of the attempt, when the transaction that settles it fails", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOneAt(at(0)))
        yield* Effect.exit(atomic(Effect.andThen(store.settle([settlement]), Effect.fail("refused"))))
        assert.deepStrictEqual(yield* current(delivery), delivery)
        assert.isEmpty(yield* attemptsOf(delivery))
        assert.isEmpty(yield* claimAt(at(LEASE_SECONDS - 1)))
        assert.deepStrictEqual(yield* settle(settlement), new Set([settlement.claimToken]))
      })
    )
  )

  it.effect("voids the claim in flight when a delivery is replayed", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const delivery = yield* storeOne
        const overtaken = settlementOf(yield* claimOneAt(at(0)))
        yield* atomic(store.update(delivery.endpointId, delivery.eventId, (found) => replayed(found, at(1))))
        assert.isEmpty(yield* settle(overtaken))
        assert.deepStrictEqual(yield* current(delivery), replayed(delivery, at(1)))
        assert.deepStrictEqual((yield* claimOneAt(at(1))).delivery, replayed(delivery, at(1)))
      })
    )
  )

  it.effect("keeps the claim in flight when the transaction of a replay fails", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOneAt(at(0)))
        const update = store.update(delivery.endpointId, delivery.eventId, (found) => replayed(found, at(1)))
        yield* Effect.exit(atomic(Effect.andThen(update, Effect.fail("refused"))))
        assert.deepStrictEqual(yield* settle(settlement), new Set([settlement.claimToken]))
      })
    )
  )

  // Whichever comes first: the replay was asked for, so the delivery is sent again.
  it.effect("leaves a delivery due when a settlement and a replay come at once", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const endpoint = yield* storeEndpoint()
        const deliveries = []
        for (let index = 0; index < 10; index++) deliveries.push(yield* storeDelivery(endpoint))
        const claimed = yield* claimAt(at(0))
        const settled = yield* Effect.forEach(
          claimed,
          (one) =>
            Effect.all(
              [
                settle(settlementOf(one)),
                atomic(store.update(endpoint.id, one.delivery.eventId, (found) => replayed(found, at(1))))
              ],
              { concurrency: "unbounded" }
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual((yield* claimAt(at(1))).length, deliveries.length)
        const attempts = yield* Effect.forEach(claimed, (one) => attemptsOf(one.delivery))
        assert.deepStrictEqual(
          attempts.map((made) => made.length),
          settled.map(([tokens]) => tokens.size)
        )
      })
    )
  )
}
