import { Effect } from "effect"
import type { EventRecord } from "../Event.ts"
import { EventLog } from "../ports/EventLog.ts"
import { layerMemory } from "./MemoryDatabase.ts"

/** The event log over a `MemoryDatabase`. */
export const layerEventLog = layerMemory(EventLog)((database) => {
  const events = database.table<EventRecord>("event")
  return {
    append: (...appended) => Effect.forEach(appended, (event) => events.put(event.id, event), { discard: true }),
    find: (ids) =>
      Effect.map(
        Effect.forEach(ids, (id) => events.get(id)),
        (found) => found.filter((event) => event !== undefined)
      ),
    hold: (id) => events.get(id)
  }
})
