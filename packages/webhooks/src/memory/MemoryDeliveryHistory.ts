import { type EventRecord, timeOfId } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { endOf, monthOf } from "../months.ts"
import { DeliveryHistory } from "../ports/DeliveryHistory.ts"
import { deliveryTable } from "./deliveryRows.ts"

/** The history over a `MemoryDatabase`, which needs no preparation. */
export const layerDeliveryHistory = layerMemory(DeliveryHistory)((database) => {
  const { all, remove } = deliveryTable(database)
  const events = database.table<EventRecord>("event")
  return {
    prepare: () => Effect.void,
    forget: Effect.fnUntraced(function* (before) {
      const isOld = (month: string) => DateTime.isLessThanOrEqualTo(endOf(month), before)
      const deliveriesByMonth = Map.groupBy(yield* all, ({ delivery }) => monthOf(timeOfId(delivery.eventId)))
      const eventsByMonth = Map.groupBy(yield* events.all, ({ id }) => monthOf(timeOfId(id)))
      const months = [...new Set([...deliveriesByMonth.keys(), ...eventsByMonth.keys()])].filter(isOld).sort()
      const isPending = (month: string) =>
        (deliveriesByMonth.get(month) ?? []).some(({ delivery }) => delivery.state === "pending")
      const kept = months.filter(isPending)
      const forgotten = months.filter((month) => !kept.includes(month))
      for (const month of forgotten) {
        for (const { delivery } of deliveriesByMonth.get(month) ?? []) yield* remove(delivery)
        for (const { id } of eventsByMonth.get(month) ?? []) yield* events.remove(id)
      }
      return { forgotten, kept }
    })
  }
})
