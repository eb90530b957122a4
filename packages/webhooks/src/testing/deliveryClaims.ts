import { bodyOf } from "@agent-platform/kernel"
import { anEvent } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  at,
  type Cases,
  claim,
  claimedIds,
  claimOne,
  FAR_FUTURE,
  identify,
  storeDelivery,
  storeEndpoint,
  storeEvent,
  withNothingElsePending
} from "./storedDeliveries.ts"

/** Which deliveries a claimer gets, and how many. */
export const claimCases: Cases = (it) => {
  it.effect("hands out a due delivery with its endpoint and the exact bytes of its event", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint({ eventTypes: ["run.failed"], description: "é" })
        const data = `{"b":1,"a":"é 💡 \\u0000 \\"quoted\\"","n":1.0}`
        const event = yield* storeEvent(endpoint, anEvent({ organizationId: endpoint.organizationId, data }))
        const delivery = yield* storeDelivery(endpoint, {}, event)
        const claimed = yield* claimOne()
        const { claimToken } = claimed
        assert.deepStrictEqual(claimed, { delivery, endpoint, failingSince: null, body: bodyOf(event), claimToken })
        assert.include(claimed.body, `,"data":${data}}`)
        assert.isNotEmpty(claimed.claimToken)
      })
    )
  )

  it.effect("hands out a delivery with the trace that its event belongs to", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        yield* storeDelivery(endpoint, {}, yield* storeEvent(endpoint, { trace }))
        assert.strictEqual((yield* claimOne()).trace, trace)
      })
    )
  )

  // A worker settles it as failed; a delivery that is never handed out would stay pending for ever.
  it.effect("hands out a delivery whose event is not kept any more, without bytes", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const event = anEvent({ organizationId: endpoint.organizationId })
        const delivery = yield* storeDelivery(endpoint, {}, event)
        const claimed = yield* claimOne()
        assert.deepStrictEqual(claimed.delivery, delivery)
        assert.isNull(claimed.body)
      })
    )
  )

  it.effect("holds back what is not due yet, delivered or dead", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        yield* storeDelivery(endpoint, { nextAttemptAt: FAR_FUTURE })
        yield* storeDelivery(endpoint, { state: "delivered", nextAttemptAt: null, deliveredAt: at(0) })
        yield* storeDelivery(endpoint, { state: "dead", stateReason: "retries_exhausted", nextAttemptAt: null })
        const due = yield* storeDelivery(endpoint, { nextAttemptAt: at(60) })
        assert.deepStrictEqual(claimedIds(yield* claim()), identify([due]))
      })
    )
  )

  it.effect("hands out the oldest due first, as many as are asked for", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const endpoint = yield* storeEndpoint()
        const second = yield* storeDelivery(endpoint, { nextAttemptAt: at(2) })
        const third = yield* storeDelivery(endpoint, { nextAttemptAt: at(3) })
        const first = yield* storeDelivery(endpoint, { nextAttemptAt: at(1) })
        assert.sameMembers(claimedIds(yield* claim({ max: 2 })), identify([first, second]))
        assert.deepStrictEqual(claimedIds(yield* claim({ max: 2 })), identify([third]))
      })
    )
  )

  it.effect("hands out no more of one endpoint than may go to it at once", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const [busy, quiet] = [yield* storeEndpoint(), yield* storeEndpoint()]
        const oldest = [
          yield* storeDelivery(busy, { nextAttemptAt: at(0) }),
          yield* storeDelivery(busy, { nextAttemptAt: at(1) })
        ]
        for (let index = 2; index < 6; index++) yield* storeDelivery(busy, { nextAttemptAt: at(index) })
        const last = yield* storeDelivery(quiet, { nextAttemptAt: at(30) })
        const claimed = yield* claim({ perEndpoint: 2, max: 4 })
        assert.sameMembers(claimedIds(claimed), identify([...oldest, last]))
      })
    )
  )

  it.effect("respects an endpoint's own lower limit, and nothing when it is 0", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const [full, narrow, other] = [yield* storeEndpoint(), yield* storeEndpoint(), yield* storeEndpoint()]
        for (let index = 0; index < 3; index++) yield* storeDelivery(full, { nextAttemptAt: at(index) })
        const first = yield* storeDelivery(narrow, { nextAttemptAt: at(3) })
        for (let index = 4; index < 6; index++) yield* storeDelivery(narrow, { nextAttemptAt: at(index) })
        const mine = yield* storeDelivery(other, { nextAttemptAt: at(9) })
        const endpointLimits = new Map([
          [full.id, 0],
          [narrow.id, 1]
        ])
        assert.sameMembers(claimedIds(yield* claim({ perEndpoint: 3, endpointLimits })), identify([first, mine]))
      })
    )
  )

  it.effect("hands out no more of one organization than may go to it at once", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const one = yield* storeEndpoint()
        const two = yield* storeEndpoint({ organizationId: one.organizationId })
        const other = yield* storeEndpoint()
        const oldest = [
          yield* storeDelivery(one, { nextAttemptAt: at(0) }),
          yield* storeDelivery(two, { nextAttemptAt: at(1) }),
          yield* storeDelivery(one, { nextAttemptAt: at(2) })
        ]
        for (let index = 3; index < 6; index++) yield* storeDelivery(two, { nextAttemptAt: at(index) })
        const last = yield* storeDelivery(other, { nextAttemptAt: at(30) })
        assert.sameMembers(claimedIds(yield* claim({ perOrganization: 3 })), identify([...oldest, last]))
      })
    )
  )

  it.effect("hands no delivery to two of twelve claimers who come at once, and leaves none behind", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const deliveries = []
        for (let index = 0; index < 3; index++) {
          const endpoint = yield* storeEndpoint()
          for (let count = 0; count < 20; count++) deliveries.push(yield* storeDelivery(endpoint))
        }
        const claimed = []
        // A claimer may come away with less than it asked for while others claim: it just asks again.
        for (let round = 0; round < deliveries.length && claimed.length < deliveries.length; round++) {
          const handed = yield* Effect.forEach(Array.from({ length: 12 }), () => claim({ max: 7, perEndpoint: 3 }), {
            concurrency: "unbounded"
          })
          claimed.push(...handed.flat())
        }
        assert.sameMembers(claimedIds(claimed), identify(deliveries))
        assert.strictEqual(new Set(claimed.map((one) => one.claimToken)).size, deliveries.length)
      })
    )
  )
}
