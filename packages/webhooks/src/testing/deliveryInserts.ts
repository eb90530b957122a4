import { anEvent } from "@agent-platform/kernel/testing"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { aDelivery, anAttempt } from "./builders.ts"
import { deliveryStore } from "./deliveryStore.ts"
import {
  at,
  atomic,
  attemptsOf,
  type Cases,
  claim,
  claimOne,
  current,
  LAPSED,
  LEASE_SECONDS,
  numbered,
  recent,
  settle,
  settlementOf,
  storeDelivery,
  storeEndpoint,
  storeEvent,
  withNothingElsePending
} from "./storedDeliveries.ts"

const { number: _, ...ATTEMPT } = anAttempt()

/** A delivery that is not stored, of an event that is. */
const unstored = Effect.gen(function* () {
  const endpoint = yield* storeEndpoint()
  const event = yield* storeEvent(endpoint, anEvent({ organizationId: endpoint.organizationId }))
  return aDelivery({
    endpointId: endpoint.id,
    eventId: event.id,
    organizationId: endpoint.organizationId,
    nextAttemptAt: at(0),
    createdAt: at(0)
  })
})

const DELIVERED = { state: "delivered", attemptCount: 1, nextAttemptAt: null, deliveredAt: at(1) } as const

/** How a delivery gets its row after its first attempt, or while that is under way. */
export const insertCases: Cases = (it) => {
  it.effect("inserts a delivery together with the attempt that was made before it was there", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivered = { ...(yield* unstored), ...DELIVERED }
        const failed = { ...(yield* unstored), attemptCount: 1, failures: 1, nextAttemptAt: at(60) }
        const attempted = [
          { delivery: delivered, attempt: ATTEMPT },
          { delivery: failed, attempt: { ...ATTEMPT, responseCode: null, error: "timeout: é", responseExcerpt: null } }
        ]
        yield* atomic(store.insertAttempted(attempted))
        for (const { attempt, delivery } of attempted) {
          assert.deepStrictEqual(yield* current(delivery), delivery)
          assert.deepStrictEqual(yield* attemptsOf(delivery), [{ ...attempt, number: 1 }])
        }
        assert.deepStrictEqual((yield* claimOne()).delivery, failed)
      })
    )
  )

  // Two workers have attempted the same event: one of them after the other was taken for lost.
  it.effect("leaves a delivery that is there already as it is, and drops the attempt", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const [first, other] = [yield* unstored, yield* unstored]
      const delivered = { ...first, ...DELIVERED }
      yield* atomic(store.insertAttempted([{ delivery: delivered, attempt: ATTEMPT }]))
      const late = { ...first, attemptCount: 1, failures: 1, nextAttemptAt: at(60) }
      yield* atomic(
        store.insertAttempted([
          { delivery: late, attempt: { ...ATTEMPT, responseCode: 500 } },
          { delivery: { ...other, ...DELIVERED }, attempt: ATTEMPT }
        ])
      )
      assert.deepStrictEqual(yield* current(first), delivered)
      assert.deepStrictEqual(yield* attemptsOf(first), [{ ...ATTEMPT, number: 1 }])
      assert.deepInclude(yield* current(other), DELIVERED)
    })
  )

  it.effect("keeps what its transaction has written before, though a delivery is there already", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const [there, other] = [{ ...(yield* unstored), ...DELIVERED }, yield* unstored]
      const insert = store.insertAttempted([{ delivery: there, attempt: ATTEMPT }])
      yield* atomic(insert)
      yield* atomic(Effect.andThen(store.insert([other]), insert))
      assert.deepStrictEqual(yield* current(other), other)
    })
  )

  it.effect("lists the attempt that came before the row in front of those after it", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const failed = { ...(yield* unstored), attemptCount: 1, failures: 1 }
        const first = { ...ATTEMPT, responseCode: 500 }
        yield* atomic(store.insertAttempted([{ delivery: failed, attempt: first }]))
        const settlement = settlementOf(yield* claimOne())
        yield* settle(settlement)
        const attempts = [{ ...first, number: 1 }, numbered(settlement, 2)]
        assert.deepStrictEqual(yield* attemptsOf(failed), attempts)
        const listed = yield* recent(store, failed.endpointId, 10)
        assert.deepStrictEqual(
          listed.map((one) => one.attempts),
          [attempts]
        )
      })
    )
  )

  it.effect("lets two who attempted the same delivery at once leave one of the attempts", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      for (let round = 0; round < 5; round++) {
        const delivery = { ...(yield* unstored), ...DELIVERED }
        const insert = atomic(store.insertAttempted([{ delivery, attempt: ATTEMPT }]))
        yield* Effect.all([insert, insert, insert], { concurrency: "unbounded" })
        assert.strictEqual((yield* attemptsOf(delivery)).length, 1)
      }
    })
  )

  it.effect("keeps nothing of an attempted delivery whose transaction fails", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const delivery = { ...(yield* unstored), ...DELIVERED }
      const insert = store.insertAttempted([{ delivery, attempt: ATTEMPT }])
      yield* Effect.exit(atomic(Effect.andThen(insert, Effect.fail("refused"))))
      assert.isUndefined(yield* current(delivery))
      assert.isEmpty(yield* attemptsOf(delivery))
    })
  )

  it.effect("gives the worker that attempts a delivery a claim on its new row", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* unstored
        const [claimToken] = yield* atomic(store.insertClaimed([delivery], LEASE_SECONDS))
        assert.isDefined(claimToken)
        assert.deepStrictEqual(yield* current(delivery), delivery)
        assert.isEmpty(yield* claim())
        const settled = { claimToken: claimToken ?? "", delivery: { ...delivery, ...DELIVERED }, attempt: ATTEMPT }
        assert.deepStrictEqual(yield* settle(settled), new Set([claimToken]))
        assert.deepStrictEqual(yield* current(delivery), settled.delivery)
        assert.deepStrictEqual(yield* attemptsOf(delivery), [{ ...ATTEMPT, number: 1 }])
      })
    )
  )

  it.effect("hands that row to somebody else when the claim has lapsed, and fences off who had it", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = yield* unstored
        const [lost] = yield* atomic(store.insertClaimed([delivery], LAPSED))
        const claimed = yield* claimOne()
        assert.deepStrictEqual(claimed.delivery, delivery)
        yield* settle({ claimToken: lost ?? "", delivery: { ...delivery, ...DELIVERED }, attempt: ATTEMPT })
        assert.deepStrictEqual(yield* current(delivery), delivery)
        assert.deepStrictEqual(yield* settle(settlementOf(claimed)), new Set([claimed.claimToken]))
      })
    )
  )

  it.effect("gives no claim on a row that is there already, and answers in the order of the question", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const [one, two] = [yield* unstored, yield* unstored]
        const known = yield* storeDelivery(yield* storeEndpoint())
        const tokens = yield* atomic(store.insertClaimed([one, known, two], LEASE_SECONDS))
        assert.deepStrictEqual(
          tokens.map((token) => token !== undefined),
          [true, false, true]
        )
        assert.deepStrictEqual((yield* claimOne()).delivery, known)
        for (const [index, delivery] of [one, undefined, two].entries()) {
          if (delivery === undefined) continue
          const settled = { ...delivery, ...DELIVERED }
          const claimToken = tokens[index] ?? ""
          assert.strictEqual((yield* settle({ claimToken, delivery: settled, attempt: ATTEMPT })).size, 1)
          assert.deepStrictEqual(yield* current(delivery), settled)
        }
      })
    )
  )

  it.effect("adds the record of an attempt to a delivery that was dead when it got its row", () =>
    withNothingElsePending(
      Effect.gen(function* () {
        const store = yield* deliveryStore
        const delivery = {
          ...(yield* unstored),
          state: "dead",
          stateReason: "endpoint_deleted",
          nextAttemptAt: null
        } as const
        const [claimToken] = yield* atomic(store.insertClaimed([delivery], LEASE_SECONDS))
        yield* settle({ claimToken: claimToken ?? "", delivery: { ...delivery, ...DELIVERED }, attempt: ATTEMPT })
        assert.deepStrictEqual(yield* current(delivery), { ...delivery, attemptCount: 1 })
        assert.deepStrictEqual(yield* attemptsOf(delivery), [{ ...ATTEMPT, number: 1 }])
      })
    )
  )

  it.effect("answers which deliveries are there", () =>
    Effect.gen(function* () {
      const store = yield* deliveryStore
      const [here, missing] = [yield* storeDelivery(yield* storeEndpoint()), yield* unstored]
      const crossed = { endpointId: here.endpointId, eventId: missing.eventId }
      const found = yield* store.existing([missing, here, crossed])
      assert.deepStrictEqual(
        found.map(({ endpointId, eventId }) => ({ endpointId, eventId })),
        [{ endpointId: here.endpointId, eventId: here.eventId }]
      )
      assert.isEmpty(yield* store.existing([]))
    })
  )
}
