import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { ATTEMPTS_SHOWN_MAX } from "../Delivery.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { deliveryTable } from "./deliveryRows.ts"

/** The records of deliveries over a `MemoryDatabase`. */
export const layerDeliveryRecords: Layer.Layer<DeliveryRecords, never, MemoryDatabase> = Layer.effect(
  DeliveryRecords,
  Effect.map(deliveryTable, ({ all, find }) =>
    DeliveryRecords.of({
      find: (endpointId, eventId) => Effect.map(find({ endpointId, eventId }), (row) => row?.delivery),

      recent: (endpointId, limit) =>
        Effect.map(all, (rows) =>
          rows
            .filter((row) => row.delivery.endpointId === endpointId)
            .sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? 1 : -1))
            .slice(0, limit)
            .map(({ attempts, delivery }) => ({ delivery, attempts: attempts.slice(-ATTEMPTS_SHOWN_MAX) }))
        ),

      attempts: (endpointId, eventId) =>
        Effect.map(find({ endpointId, eventId }), (row) => row?.attempts.slice(-ATTEMPTS_SHOWN_MAX) ?? [])
    })
  )
)
