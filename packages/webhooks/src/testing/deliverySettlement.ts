import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Delivery } from "../Delivery.ts"
import { deliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  attemptsOf,
  type Cases,
  claim,
  claimOne,
  current,
  FAR_FUTURE,
  identify,
  LAPSED,
  numbered,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  storeOne,
  withNothingElsePending
} from "./storedDeliveries.ts"

/** How an attempt is written, and whose attempt counts. */
export const settlementCases: Cases = (it) => {
  it.effect("writes what an attempt came to, and answers the claim's token", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOne())
        assert.deepStrictEqual(yield* settle(settlement), new Set([settlement.claimToken]))
        assert.deepStrictEqual(yield* current(delivery), settlement.delivery)
        assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(settlement)])
      })
    )
  )

  it.effect("hands out a settled delivery when its retry is due, and not when its lease would have been over", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const [due, later] = [yield* storeOne, yield* storeOne]
        const claimed = yield* claim({ leaseSeconds: LAPSED })
        const failed = claimed.map((one) =>
          settlementOf(one, {
            responseCode: 503,
            attemptedAt: one.delivery.endpointId === later.endpointId ? FAR_FUTURE : at(0)
          })
        )
        yield* settle(...failed)
        const again = yield* claimOne()
        assert.deepStrictEqual(identify([again.delivery]), identify([due]))
        assert.deepInclude(again.delivery, { attemptCount: 1, failures: 1 })
      })
    )
  )

  it.effect("settles many at once, and of them those whose claims still hold", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const [lost, kept] = [yield* storeDelivery(endpoint), yield* storeDelivery(endpoint, { nextAttemptAt: at(1) })]
        const [first, second] = yield* claim({ leaseSeconds: LAPSED, max: 2 })
        assert.isDefined(first)
        assert.isDefined(second)
        const [early, late] = [settlementOf(first), settlementOf(second)]
        const [again] = yield* claim({ max: 1 })
        assert.deepStrictEqual(again?.delivery, lost)
        assert.deepStrictEqual(yield* settle(early, late), new Set([late.claimToken]))
        assert.deepStrictEqual(yield* current(lost), lost)
        assert.isEmpty(yield* attemptsOf(lost))
        assert.deepStrictEqual(yield* current(kept), late.delivery)
      })
    )
  )

  it.effect("settles nothing for a claim that lapsed and was taken over", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const stale = settlementOf(yield* claimOne(LAPSED), { responseCode: 500 })
        const fresh = settlementOf(yield* claimOne())
        assert.isEmpty(yield* settle(stale))
        assert.deepStrictEqual(yield* settle(fresh), new Set([fresh.claimToken]))
        assert.deepStrictEqual(yield* current(delivery), fresh.delivery)
        assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(fresh)])
      })
    )
  )

  it.effect("settles nothing for a claim that was released", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOne())
        yield* store.release([settlement.claimToken])
        assert.isEmpty(yield* settle(settlement))
        assert.deepStrictEqual(yield* current(delivery), delivery)
        assert.isEmpty(yield* attemptsOf(delivery))
      })
    )
  )

  it.effect("settles a claim once", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOne(), { responseCode: 503 })
        yield* settle(settlement)
        assert.isEmpty(yield* settle(settlement))
        assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(settlement)])
      })
    )
  )

  it.effect("keeps the claim, and nothing of the attempt, when the transaction that settles it fails", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOne())
        yield* Effect.exit(atomic(Effect.andThen(store.settle([settlement]), Effect.fail("refused"))))
        assert.deepStrictEqual(yield* current(delivery), delivery)
        assert.isEmpty(yield* attemptsOf(delivery))
        assert.isEmpty(yield* claim())
        assert.deepStrictEqual(yield* settle(settlement), new Set([settlement.claimToken]))
      })
    )
  )

  it.effect(
    "keeps the record of an attempt in flight when its delivery is replayed, and sends it again all the same",
    () =>
      withNothingElsePending(
        Effect.gen(function* () {
          const store = yield* deliveryStore
          const delivery = yield* storeOne
          const overtaken = settlementOf(yield* claimOne())
          yield* atomic(store.update(delivery.endpointId, delivery.eventId, (found) => Delivery.replayed(found, at(1))))
          assert.isEmpty(yield* settle(overtaken))
          const recorded = { ...Delivery.replayed(delivery, at(1)), attemptCount: 1 }
          assert.deepStrictEqual(yield* current(delivery), recorded)
          assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(overtaken)])
          assert.isEmpty(yield* settle(overtaken))
          assert.strictEqual((yield* attemptsOf(delivery)).length, 1)
          assert.deepStrictEqual((yield* claimOne()).delivery, recorded)
        })
      )
  )

  // The second attempt began before the first was recorded, and ends after it.
  it.effect("numbers attempts in the order in which they are settled", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* storeOne
        const replay = atomic(
          store.update(delivery.endpointId, delivery.eventId, (found) => Delivery.replayed(found, at(1)))
        )
        const first = settlementOf(yield* claimOne(), { responseCode: 500 })
        yield* replay
        const second = settlementOf(yield* claimOne(), { responseCode: 502 })
        yield* replay
        const third = settlementOf(yield* claimOne())
        yield* settle(second)
        assert.deepStrictEqual(yield* settle(first, third), new Set([third.claimToken]))
        const made = yield* attemptsOf(delivery)
        assert.deepStrictEqual(
          made.map((attempt) => attempt.number),
          [1, 2, 3]
        )
        assert.sameMembers(
          made.map((attempt) => attempt.responseCode),
          [500, 502, 200]
        )
        assert.deepInclude(yield* current(delivery), { state: "delivered", attemptCount: 3 })
      })
    )
  )

  it.effect("keeps the record of an attempt in flight when its delivery is made dead", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* storeOne
        const overtaken = settlementOf(yield* claimOne())
        yield* atomic(store.markDead(delivery.endpointId, "endpoint_deleted"))
        yield* settle(overtaken)
        assert.deepInclude(yield* current(delivery), { state: "dead", attemptCount: 1 })
        assert.deepStrictEqual(yield* attemptsOf(delivery), [numbered(overtaken)])
      })
    )
  )

  it.effect("keeps the claim in flight when the transaction of a replay fails", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* storeOne
        const settlement = settlementOf(yield* claimOne())
        const update = store.update(delivery.endpointId, delivery.eventId, (found) => Delivery.replayed(found, at(1)))
        yield* Effect.exit(atomic(Effect.andThen(update, Effect.fail("refused"))))
        assert.deepStrictEqual(yield* settle(settlement), new Set([settlement.claimToken]))
      })
    )
  )

  // Whichever comes first: the replay was asked for, so the delivery is sent again.
  it.effect("leaves a delivery due when a settlement and a replay come at once", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const endpoint = yield* storeEndpoint()
        const deliveries = []
        for (let index = 0; index < 10; index++) deliveries.push(yield* storeDelivery(endpoint))
        const claimed = yield* claim()
        const settled = yield* Effect.forEach(
          claimed,
          (one) =>
            Effect.all(
              [
                settle(settlementOf(one)),
                atomic(store.update(endpoint.id, one.delivery.eventId, (found) => Delivery.replayed(found, at(1))))
              ],
              { concurrency: "unbounded" }
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual((yield* claim()).length, deliveries.length)
        // The attempt is recorded, whether it was settled before the replay or overtaken by it.
        assert.strictEqual(settled.length, deliveries.length)
        for (const { delivery } of claimed) assert.strictEqual((yield* attemptsOf(delivery)).length, 1)
      })
    )
  )
}
