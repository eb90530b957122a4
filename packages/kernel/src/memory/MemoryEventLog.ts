import { Effect, Layer } from "effect"
import type { EventRecord } from "../Event.ts"
import { EventLog } from "../ports/EventLog.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** The event log over a `MemoryDatabase`. */
export const layerEventLog: Layer.Layer<EventLog, never, MemoryDatabase> = Layer.effect(
  EventLog,
  Effect.map(MemoryDatabase, (database) => {
    const events = database.table<EventRecord>("event")
    return EventLog.of({
      append: (...appended) => Effect.forEach(appended, (event) => events.put(event.id, event), { discard: true }),
      find: (ids) =>
        Effect.map(
          Effect.forEach(ids, (id) => events.get(id)),
          (found) => found.filter((event) => event !== undefined)
        )
    })
  })
)
