import { firstIdAt, toPage } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { ATTEMPTS_SHOWN_MAX } from "../Delivery.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { deliveryTable } from "./deliveryRows.ts"

/** The records of deliveries over a `MemoryDatabase`. */
export const layerDeliveryRecords = layerMemory(DeliveryRecords)((database) => {
  const { all, find } = deliveryTable(database)
  return {
    find: (endpointId, eventId) => Effect.map(find({ endpointId, eventId }), (row) => row?.delivery),

    list: (endpointId, { eventType, since, state, until }, { before, limit }) =>
      Effect.map(all, (rows) => {
        const [from, to] = [since, until].map((moment) => (moment === undefined ? undefined : firstIdAt(moment)))
        const found = rows
          .filter(
            ({ delivery }) =>
              delivery.endpointId === endpointId &&
              (state === undefined || delivery.state === state) &&
              (eventType === undefined || delivery.eventType === eventType) &&
              (from === undefined || delivery.eventId >= from) &&
              (to === undefined || delivery.eventId < to) &&
              (before === undefined || delivery.eventId < before)
          )
          .sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? 1 : -1))
          .map(({ attempts, delivery }) => ({ delivery, attempts: attempts.slice(-ATTEMPTS_SHOWN_MAX) }))
        return toPage(found, limit, ({ delivery }) => delivery.eventId)
      }),

    attempts: (endpointId, eventId) =>
      Effect.map(find({ endpointId, eventId }), (row) => row?.attempts.slice(-ATTEMPTS_SHOWN_MAX) ?? [])
  }
})
