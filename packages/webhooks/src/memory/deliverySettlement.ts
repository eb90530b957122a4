import type { MemoryTable } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import type { DeliveryStore, SettledDelivery } from "../ports/DeliveryStore.ts"
import { type DeliveryRow, keyOf } from "./deliveryRows.ts"

/** The row with one more attempt in it. */
const recorded = (row: DeliveryRow, { attempt }: SettledDelivery): DeliveryRow => {
  const number = row.delivery.attemptCount + 1
  return {
    ...row,
    delivery: { ...row.delivery, attemptCount: number },
    attempts: [...row.attempts, { ...attempt, number }]
  }
}

/** How attempts are written. */
export const settlementOver = (
  deliveries: MemoryTable<DeliveryRow>
): Pick<DeliveryStore["Service"], "insertAttempted" | "settle"> => {
  const put = (row: DeliveryRow) => deliveries.put(keyOf(row.delivery.endpointId, row.delivery.eventId), row)
  return {
    insertAttempted: (attempted) =>
      Effect.forEach(
        attempted,
        Effect.fnUntraced(function* ({ attempt, delivery }) {
          if ((yield* deliveries.get(keyOf(delivery.endpointId, delivery.eventId))) !== undefined) return
          yield* put({ delivery, attempts: [{ ...attempt, number: 1 }], claim: undefined, voided: [] })
        }),
        { discard: true }
      ),

    settle: Effect.fnUntraced(function* (settled) {
      const held = new Set<string>()
      for (const one of settled) {
        const row = yield* deliveries.get(keyOf(one.delivery.endpointId, one.delivery.eventId))
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
  }
}
