import { EventLog, Outbox } from "@agent-platform/kernel"
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { EventDispatch } from "../ports/EventDispatch.ts"
import { endpointTables } from "./MemoryEndpointHealthStore.ts"

/** Takes from the outbox of the process, and reads the rest from its `MemoryDatabase`. */
export const layerEventDispatch: Layer.Layer<EventDispatch, never, MemoryDatabase | EventLog | Outbox> = Layer.effect(
  EventDispatch,
  Effect.gen(function* () {
    const { endpoints, withHealth } = yield* endpointTables
    const log = yield* EventLog
    const outbox = yield* Outbox
    return EventDispatch.of({
      take: Effect.fnUntraced(function* (max, leaseSeconds) {
        const taken = yield* outbox.take(max, leaseSeconds)
        const records = yield* log.find(taken.map(({ id }) => id))
        const organizationIds = records.map((event) => event.organizationId)
        const kept = (yield* endpoints.all).filter(
          (row) => organizationIds.includes(row.organizationId) && row.status !== "deleted"
        )
        const byId = new Map(records.map((record) => [record.id, record]))
        return {
          events: taken.map((one) => ({ taken: one, record: byId.get(one.id) })),
          recipients: yield* Effect.forEach(kept, withHealth)
        }
      })
    })
  })
)
