import { EventLog } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ATTEMPTS_SHOWN_MAX } from "../Delivery.ts"
import type { Endpoint } from "../Endpoint.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { claimsOver } from "./deliveryClaims.ts"
import { lifecycleOver } from "./deliveryLifecycle.ts"
import { type DeliveryRow, keyOf, overridden } from "./deliveryRows.ts"
import { settlementOver } from "./deliverySettlement.ts"
import { HEALTH_TABLE, type HealthRow, healthOver } from "./endpointHealth.ts"
import { ENDPOINT_TABLE } from "./MemoryEndpointStore.ts"

/** The name of the table of deliveries. */
export const DELIVERY_TABLE = "webhook_delivery"

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const log = yield* EventLog
  const random = yield* SecureRandom.SecureRandom
  const deliveries = database.table<DeliveryRow>(DELIVERY_TABLE)
  const { recipient, ...health } = healthOver(
    database.table<Endpoint>(ENDPOINT_TABLE),
    database.table<HealthRow>(HEALTH_TABLE),
    log
  )

  const put = (row: DeliveryRow) => deliveries.put(keyOf(row.delivery.endpointId, row.delivery.eventId), row)

  return DeliveryStore.of({
    ...health,
    ...claimsOver({ database, deliveries, log, random, recipient }),
    ...settlementOver(deliveries),
    ...lifecycleOver(deliveries, put),

    existing: (keys) =>
      Effect.map(
        Effect.forEach(keys, ({ endpointId, eventId }) => deliveries.get(keyOf(endpointId, eventId))),
        (rows) => rows.flatMap((row) => (row === undefined ? [] : [row.delivery]))
      ),

    insert: (rows) =>
      Effect.forEach(
        rows,
        (delivery) =>
          Effect.flatMap(deliveries.get(keyOf(delivery.endpointId, delivery.eventId)), (earlier) =>
            earlier === undefined ? put({ delivery, attempts: [], claim: undefined, voided: [] }) : Effect.void
          ),
        { discard: true }
      ),

    find: (endpointId, eventId) => Effect.map(deliveries.get(keyOf(endpointId, eventId)), (row) => row?.delivery),

    recent: (endpointId, limit) =>
      Effect.map(deliveries.all, (rows) =>
        rows
          .filter((row) => row.delivery.endpointId === endpointId)
          .sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? 1 : -1))
          .slice(0, limit)
          .map(({ attempts, delivery }) => ({ delivery, attempts: attempts.slice(-ATTEMPTS_SHOWN_MAX) }))
      ),

    update: (endpointId, eventId, change) =>
      Effect.gen(function* () {
        const row = yield* deliveries.get(keyOf(endpointId, eventId))
        if (row === undefined) return undefined
        const delivery = change(row.delivery)
        yield* put(overridden(row, delivery))
        return delivery
      }),

    attempts: (endpointId, eventId) =>
      Effect.map(deliveries.get(keyOf(endpointId, eventId)), (row) => row?.attempts.slice(-ATTEMPTS_SHOWN_MAX) ?? [])
  })
})

/** Deliveries over a `MemoryDatabase`; the bytes that they send are those of the event log. */
export const layerDeliveryStore: Layer.Layer<
  DeliveryStore,
  never,
  MemoryDatabase | EventLog | SecureRandom.SecureRandom
> = Layer.effect(DeliveryStore, make)
