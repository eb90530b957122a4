import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { DeliverySettlement, type SettledDelivery } from "../ports/DeliverySettlement.ts"
import { type DeliveryRow, deliveryTable, freshClaim } from "./deliveryRows.ts"

/** The row with one more attempt in it. */
const recorded = (row: DeliveryRow, { attempt }: SettledDelivery): DeliveryRow => {
  const number = row.delivery.attemptCount + 1
  return {
    ...row,
    delivery: { ...row.delivery, attemptCount: number },
    attempts: [...row.attempts, { ...attempt, number }]
  }
}

/** How deliveries and their attempts are written over a `MemoryDatabase`. */
export const layerDeliverySettlement: Layer.Layer<
  DeliverySettlement,
  never,
  MemoryDatabase | SecureRandom.SecureRandom
> = Layer.effect(
  DeliverySettlement,
  Effect.gen(function* () {
    const { find, put } = deliveryTable(yield* MemoryDatabase)
    const random = yield* SecureRandom.SecureRandom
    /** Puts a row unless its delivery is there already, and returns whether it did. */
    const putNew = Effect.fnUntraced(function* (row: DeliveryRow) {
      if ((yield* find(row.delivery)) !== undefined) return false
      yield* put(row)
      return true
    })

    return DeliverySettlement.of({
      existing: (keys) => Effect.map(Effect.forEach(keys, find), (rows) => rows.flatMap((row) => row?.delivery ?? [])),

      insert: (rows) =>
        Effect.forEach(rows, (delivery) => putNew({ delivery, attempts: [], claim: undefined, voided: [] }), {
          discard: true
        }),

      insertAttempted: (attempted) =>
        Effect.forEach(
          attempted,
          ({ attempt, delivery }) =>
            putNew({ delivery, attempts: [{ ...attempt, number: 1 }], claim: undefined, voided: [] }),
          { discard: true }
        ),

      insertClaimed: (rows, leaseSeconds) =>
        Effect.forEach(
          rows,
          Effect.fnUntraced(function* (delivery) {
            const claim = yield* freshClaim(random, leaseSeconds)
            const isPending = delivery.state === "pending"
            const voided = isPending ? [] : [claim.token]
            const row = { delivery, attempts: [], claim: isPending ? claim : undefined, voided }
            return (yield* putNew(row)) ? claim.token : undefined
          })
        ),

      settle: Effect.fnUntraced(function* (settled) {
        const held = new Set<string>()
        for (const one of settled) {
          const row = yield* find(one.delivery)
          // By the token alone: a claim whose lease is over still settles until another has the delivery.
          if (row?.claim?.token === one.claimToken) {
            const after = recorded(row, one)
            const { attemptCount } = after.delivery
            yield* put({ ...after, delivery: { ...one.delivery, attemptCount }, claim: undefined })
            held.add(one.claimToken)
          } else if (row?.voided.includes(one.claimToken)) {
            const voided = row.voided.filter((token) => token !== one.claimToken)
            yield* put({ ...recorded(row, one), voided })
          }
        }
        return held
      })
    })
  })
)
