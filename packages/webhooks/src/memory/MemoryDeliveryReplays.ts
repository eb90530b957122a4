import { layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { Delivery } from "../Delivery.ts"
import { DeliveryReplays } from "../ports/DeliveryReplays.ts"
import { claimableAt, deliveryTable, overridden } from "./deliveryRows.ts"

/** Replays of ranges over a `MemoryDatabase`. */
export const layerDeliveryReplays = layerMemory(DeliveryReplays)((database) => {
  const { all, put } = deliveryTable(database)
  return {
    replayPortion: ({ after, before, deadOnly, endpointId, limit, now }) =>
      Effect.gen(function* () {
        const portion = (yield* all)
          .filter(({ delivery }) => delivery.endpointId === endpointId)
          .filter(({ delivery }) => delivery.eventId > after && delivery.eventId < before)
          .filter(({ delivery }) => !deadOnly || delivery.state === "dead")
          .sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? -1 : 1))
          .slice(0, limit)
        for (const row of portion) yield* put(overridden(row, Delivery.replayed(row.delivery, now)))
        return portion.map(({ delivery }) => delivery.eventId)
      }),

    countDue: (endpointId, { max, now }) =>
      Effect.map(all, (rows) => {
        const due = rows.filter((row) => {
          const at = row.delivery.endpointId === endpointId ? claimableAt(row) : undefined
          return at !== undefined && DateTime.isLessThanOrEqualTo(at, now)
        })
        return Math.min(due.length, max)
      })
  }
})
