import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { deliveryTable, overridden } from "./deliveryRows.ts"

/** Changes of deliveries over a `MemoryDatabase`. */
export const layerDeliveryLifecycle = layerMemory(DeliveryLifecycle)((database) => {
  const { all, find, put } = deliveryTable(database)
  return {
    update: (endpointId, eventId, change) =>
      Effect.gen(function* () {
        const row = yield* find({ endpointId, eventId })
        if (row === undefined) return undefined
        const delivery = change(row.delivery)
        yield* put(overridden(row, delivery))
        return delivery
      }),

    markDead: (endpointId, reason) =>
      Effect.gen(function* () {
        const pending = (yield* all).filter(
          ({ delivery }) => delivery.endpointId === endpointId && delivery.state === "pending"
        )
        for (const row of pending) {
          yield* put(overridden(row, { ...row.delivery, state: "dead", stateReason: reason, nextAttemptAt: null }))
        }
        return pending.length
      })
  }
})
