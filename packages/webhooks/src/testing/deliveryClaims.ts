import { anEvent } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import {
  alone,
  at,
  type Cases,
  claimAt,
  claimedIds,
  claimOneAt,
  identify,
  LEASE_SECONDS,
  storeDelivery,
  storeEndpoint,
  storeEvent,
  storeOne
} from "./storedDeliveries.ts"

const renew = (claimToken: string, now: DateTime.Utc, leaseSeconds = LEASE_SECONDS) =>
  DeliveryStore.use((store) => store.renew([claimToken], { leaseSeconds, now }))

const release = (...claimTokens: ReadonlyArray<string>) => DeliveryStore.use((store) => store.release(claimTokens))

/** Who gets a delivery, for how long, and what ends a claim without an attempt. */
export const claimCases: Cases = (it) => {
  it.effect("hands out a due delivery with its endpoint and the exact bytes of its event", () =>
    alone(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint({ eventTypes: ["run.failed"], description: "é" })
        const body = `{"b":1,"a":"é 💡 \\u0000 \\"quoted\\"","n":1.0}`
        const event = yield* storeEvent(endpoint, anEvent({ organizationId: endpoint.organizationId, body }))
        const delivery = yield* storeDelivery(endpoint, {}, event)
        const claimed = yield* claimOneAt(at(0))
        assert.deepStrictEqual(claimed, { delivery, endpoint, body, claimToken: claimed.claimToken })
        assert.isNotEmpty(claimed.claimToken)
      })
    )
  )

  it.effect("holds back what is not due yet, delivered or dead", () =>
    alone(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const later = yield* storeDelivery(endpoint, { nextAttemptAt: DateTime.add(at(60), { milliseconds: 1 }) })
        yield* storeDelivery(endpoint, { state: "delivered", nextAttemptAt: null, deliveredAt: at(0) })
        yield* storeDelivery(endpoint, { state: "dead", stateReason: "retries_exhausted", nextAttemptAt: null })
        assert.isEmpty(yield* claimAt(at(60)))
        assert.deepStrictEqual(claimedIds(yield* claimAt(at(61))), identify([later]))
      })
    )
  )

  it.effect("hands out the oldest due first, as many as are asked for", () =>
    alone(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const second = yield* storeDelivery(endpoint, { nextAttemptAt: at(2) })
        const third = yield* storeDelivery(endpoint, { nextAttemptAt: at(3) })
        const first = yield* storeDelivery(endpoint, { nextAttemptAt: at(1) })
        assert.sameMembers(claimedIds(yield* claimAt(at(9), { max: 2 })), identify([first, second]))
        assert.deepStrictEqual(claimedIds(yield* claimAt(at(9), { max: 2 })), identify([third]))
      })
    )
  )

  it.effect("hands out no more of one endpoint than may go to it at once", () =>
    alone(
      Effect.gen(function* () {
        const [busy, quiet] = [yield* storeEndpoint(), yield* storeEndpoint()]
        const oldest = [
          yield* storeDelivery(busy, { nextAttemptAt: at(0) }),
          yield* storeDelivery(busy, { nextAttemptAt: at(1) })
        ]
        for (let index = 2; index < 6; index++) yield* storeDelivery(busy, { nextAttemptAt: at(index) })
        const last = yield* storeDelivery(quiet, { nextAttemptAt: at(30) })
        const claimed = yield* claimAt(at(60), { perEndpoint: 2, max: 4 })
        assert.sameMembers(claimedIds(claimed), identify([...oldest, last]))
      })
    )
  )

  it.effect("hands out nothing of the endpoints that are excepted", () =>
    alone(
      Effect.gen(function* () {
        const [full, other] = [yield* storeEndpoint(), yield* storeEndpoint()]
        yield* storeDelivery(full)
        const mine = yield* storeDelivery(other)
        assert.deepStrictEqual(claimedIds(yield* claimAt(at(0), { except: [full.id] })), identify([mine]))
      })
    )
  )

  it.effect("hands no delivery to two of twelve claimers who come at once, and leaves none behind", () =>
    alone(
      Effect.gen(function* () {
        const deliveries = []
        for (let index = 0; index < 3; index++) {
          const endpoint = yield* storeEndpoint()
          for (let count = 0; count < 20; count++) deliveries.push(yield* storeDelivery(endpoint))
        }
        const claimed = []
        // A claimer may come away with less than it asked for while others claim: it just asks again.
        for (let round = 0; round < deliveries.length && claimed.length < deliveries.length; round++) {
          const handed = yield* Effect.forEach(
            Array.from({ length: 12 }),
            () => claimAt(at(0), { max: 7, perEndpoint: 3 }),
            {
              concurrency: "unbounded"
            }
          )
          claimed.push(...handed.flat())
        }
        assert.sameMembers(claimedIds(claimed), identify(deliveries))
        assert.strictEqual(new Set(claimed.map((one) => one.claimToken)).size, deliveries.length)
      })
    )
  )

  it.effect("hands a claimed delivery to nobody else before the claim lapses", () =>
    alone(
      Effect.gen(function* () {
        yield* storeOne
        yield* claimOneAt(at(0))
        assert.isEmpty(yield* claimAt(DateTime.subtract(at(LEASE_SECONDS), { milliseconds: 1 })))
      })
    )
  )

  it.effect("hands out a delivery again, under another token, when the claim has lapsed", () =>
    alone(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const lapsed = yield* claimOneAt(at(0))
        const claimed = yield* claimOneAt(at(LEASE_SECONDS))
        assert.deepStrictEqual(claimed.delivery, delivery)
        assert.notStrictEqual(claimed.claimToken, lapsed.claimToken)
      })
    )
  )

  it.effect("lets a claim last as long as it is renewed", () =>
    alone(
      Effect.gen(function* () {
        yield* storeOne
        const { claimToken } = yield* claimOneAt(at(0))
        yield* renew(claimToken, at(8))
        yield* renew(claimToken, at(16))
        assert.isEmpty(yield* claimAt(at(25)))
        assert.strictEqual((yield* claimAt(at(26))).length, 1)
      })
    )
  )

  it.effect("renews the claims that are named and no other", () =>
    alone(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        yield* storeDelivery(endpoint)
        yield* storeDelivery(endpoint)
        const [kept, lapsing] = yield* claimAt(at(0))
        assert.isDefined(kept)
        yield* renew(kept.claimToken, at(8))
        assert.deepStrictEqual(
          (yield* claimAt(at(12))).map((one) => one.delivery),
          [lapsing?.delivery]
        )
      })
    )
  )

  it.effect("does not let whoever lost a claim renew the one that followed", () =>
    alone(
      Effect.gen(function* () {
        yield* storeOne
        const lost = yield* claimOneAt(at(0))
        yield* claimOneAt(at(10))
        yield* renew(lost.claimToken, at(15), 3600)
        assert.strictEqual((yield* claimAt(at(20))).length, 1)
      })
    )
  )

  it.effect("hands out a released delivery again at once, under another token", () =>
    alone(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const released = yield* claimOneAt(at(0))
        yield* release(released.claimToken)
        const claimed = yield* claimOneAt(at(0))
        assert.deepStrictEqual(claimed.delivery, delivery)
        assert.notStrictEqual(claimed.claimToken, released.claimToken)
      })
    )
  )

  it.effect("does not let whoever lost a claim release the one that followed", () =>
    alone(
      Effect.gen(function* () {
        yield* storeOne
        const lost = yield* claimOneAt(at(0))
        yield* claimOneAt(at(10))
        yield* release(lost.claimToken)
        assert.isEmpty(yield* claimAt(at(15)))
      })
    )
  )

  it.effect("tells when the next pending delivery comes due", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        assert.isUndefined(yield* store.nextDueAt)
        const endpoint = yield* storeEndpoint()
        yield* storeDelivery(endpoint, { nextAttemptAt: at(300) })
        yield* storeDelivery(endpoint, { nextAttemptAt: DateTime.add(at(60), { milliseconds: 7 }) })
        yield* storeDelivery(endpoint, { state: "delivered", nextAttemptAt: null, deliveredAt: at(1) })
        assert.deepStrictEqual(yield* store.nextDueAt, DateTime.add(at(60), { milliseconds: 7 }))
      })
    )
  )

  it.effect("tells when the claim on a pending delivery runs out", () =>
    alone(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        yield* storeOne
        const { claimToken } = yield* claimOneAt(at(0))
        assert.deepStrictEqual(yield* store.nextDueAt, at(LEASE_SECONDS))
        yield* renew(claimToken, at(5))
        assert.deepStrictEqual(yield* store.nextDueAt, at(5 + LEASE_SECONDS))
        yield* release(claimToken)
        assert.deepStrictEqual(yield* store.nextDueAt, at(0))
      })
    )
  )
}
