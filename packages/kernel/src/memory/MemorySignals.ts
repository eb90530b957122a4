import { makeSignalHub } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { Signals } from "../ports/Signals.ts"
import { layerMemory } from "./MemoryDatabase.ts"

/** Signals within one process. */
export const layerSignals = layerMemory(Signals)((database) => {
  const hub = makeSignalHub()
  return {
    raise: (topic) => database.afterCommit(Effect.sync(() => hub.wake(topic))),
    listen: hub.listen
  }
})
