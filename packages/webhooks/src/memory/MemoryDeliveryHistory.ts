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
      const old = Map.groupBy(yield* all, ({ delivery }) => monthOf(timeOfId(delivery.eventId)))
      const oldEvents = Map.groupBy(yield* events.all, ({ id }) => monthOf(timeOfId(id)))
      const months = [...new Set([...old.keys(), ...oldEvents.keys()])].filter(isOld).sort()
      const isPending = (month: string) => (old.get(month) ?? []).some(({ delivery }) => delivery.state === "pending")
      const kept = months.filter(isPending)
      const forgotten = months.filter((month) => !kept.includes(month))
      for (const month of forgotten) {
        for (const { delivery } of old.get(month) ?? []) yield* remove(delivery)
        for (const { id } of oldEvents.get(month) ?? []) yield* events.remove(id)
      }
      return { forgotten, kept }
    })
  }
})
