import type { Transaction } from "@agent-platform/kernel"
import type { MemoryTable } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { type Delivery, replayed } from "../Delivery.ts"
import type { DeliveryStore } from "../ports/DeliveryStore.ts"
import { claimableAt, type DeliveryRow, overridden } from "./deliveryRows.ts"

/** What happens to the deliveries of an endpoint as a whole. */
export const lifecycleOver = (
  deliveries: MemoryTable<DeliveryRow>,
  put: (row: DeliveryRow) => Effect.Effect<void, never, Transaction>
): Pick<DeliveryStore["Service"], "markDead" | "replayPortion" | "countDue"> => {
  const change = (rows: ReadonlyArray<DeliveryRow>, into: (delivery: Delivery) => Delivery) =>
    Effect.forEach(rows, (row) => put(overridden(row, into(row.delivery))), { discard: true })

  return {
    markDead: (endpointId, reason) =>
      Effect.gen(function* () {
        const pending = (yield* deliveries.all).filter(
          ({ delivery }) => delivery.endpointId === endpointId && delivery.state === "pending"
        )
        yield* change(pending, (delivery) => ({ ...delivery, state: "dead", stateReason: reason, nextAttemptAt: null }))
        return pending.length
      }),

    replayPortion: ({ after, before, deadOnly, endpointId, limit, now }) =>
      Effect.gen(function* () {
        const portion = (yield* deliveries.all)
          .filter(({ delivery }) => delivery.endpointId === endpointId)
          .filter(({ delivery }) => delivery.eventId > after && delivery.eventId < before)
          .filter(({ delivery }) => !deadOnly || delivery.state === "dead")
          .sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? -1 : 1))
          .slice(0, limit)
        yield* change(portion, (delivery) => replayed(delivery, now))
        return portion.map(({ delivery }) => delivery.eventId)
      }),

    countDue: (endpointId, { max, now }) =>
      Effect.map(deliveries.all, (rows) => {
        const due = rows.filter((row) => {
          const at = row.delivery.endpointId === endpointId ? claimableAt(row) : undefined
          return at !== undefined && DateTime.isLessThanOrEqualTo(at, now)
        })
        return Math.min(due.length, max)
      })
  }
}
