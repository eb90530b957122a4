import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { deliveryStore, useDeliveryStore } from "./deliveryStore.ts"
import {
  at,
  type Cases,
  claim,
  claimOne,
  FAR_FUTURE,
  LAPSED,
  LEASE_SECONDS,
  storeDelivery,
  storeEndpoint,
  storeOne,
  withNothingElsePending
} from "./storedDeliveries.ts"

const renew = (claimToken: string, leaseSeconds = LEASE_SECONDS) =>
  useDeliveryStore((store) => store.renew([claimToken], leaseSeconds))

const release = (...claimTokens: ReadonlyArray<string>) => useDeliveryStore((store) => store.release(claimTokens))

/** For how long a claim holds, and what ends it without an attempt. */
export const leaseCases: Cases = (it) => {
  it.effect("hands a claimed delivery to nobody else while the claim holds", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        yield* storeOne
        yield* claimOne()
        assert.isEmpty(yield* claim())
      })
    )
  )

  it.effect("hands out a delivery again, under another token, when the claim has lapsed", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const lapsed = yield* claimOne(LAPSED)
        const claimed = yield* claimOne()
        assert.deepStrictEqual(claimed.delivery, delivery)
        assert.notStrictEqual(claimed.claimToken, lapsed.claimToken)
      })
    )
  )

  it.effect("renews the claims that are named and no other", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        yield* storeDelivery(endpoint)
        yield* storeDelivery(endpoint)
        const [kept, lapsing] = yield* claim({ leaseSeconds: LAPSED })
        assert.isDefined(kept)
        yield* renew(kept.claimToken)
        assert.deepStrictEqual(
          (yield* claim()).map((one) => one.delivery),
          [lapsing?.delivery]
        )
      })
    )
  )

  it.effect("does not let the holder of a lost claim renew the one that followed", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        yield* storeOne
        const lost = yield* claimOne(LAPSED)
        yield* claimOne(LAPSED)
        yield* renew(lost.claimToken)
        assert.strictEqual((yield* claim()).length, 1)
      })
    )
  )

  it.effect("hands out a released delivery again at once, under another token", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const delivery = yield* storeOne
        const released = yield* claimOne()
        yield* release(released.claimToken)
        const claimed = yield* claimOne()
        assert.deepStrictEqual(claimed.delivery, delivery)
        assert.notStrictEqual(claimed.claimToken, released.claimToken)
      })
    )
  )

  it.effect("does not let the holder of a lost claim release the one that followed", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        yield* storeOne
        const lost = yield* claimOne(LAPSED)
        yield* claimOne()
        yield* release(lost.claimToken)
        assert.isEmpty(yield* claim())
      })
    )
  )

  it.effect("says that something is due, or how long it takes until something is", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        assert.isUndefined(yield* store.millisUntilDue)
        const endpoint = yield* storeEndpoint()
        const inAnHour = DateTime.add(yield* DateTime.now, { hours: 1 })
        yield* storeDelivery(endpoint, { nextAttemptAt: inAnHour })
        yield* storeDelivery(endpoint, { nextAttemptAt: FAR_FUTURE })
        const millis = Number(yield* store.millisUntilDue)
        assert.isAbove(millis, 3_500_000)
        assert.isAtMost(millis, 3_600_000)
        yield* storeDelivery(endpoint, { nextAttemptAt: at(0) })
        assert.isAtMost(Number(yield* store.millisUntilDue), 0)
      })
    )
  )

  it.effect("says how long it takes until the claim on a pending delivery runs out", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        yield* storeOne
        const { claimToken } = yield* claimOne(1000)
        assert.isAtMost(Number(yield* store.millisUntilDue), 1_000_000)
        assert.isAbove(Number(yield* store.millisUntilDue), 900_000)
        yield* renew(claimToken, 2000)
        assert.isAbove(Number(yield* store.millisUntilDue), 1_900_000)
        yield* release(claimToken)
        assert.isAtMost(Number(yield* store.millisUntilDue), 0)
      })
    )
  )
}
