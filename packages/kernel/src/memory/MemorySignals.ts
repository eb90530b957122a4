import { makeSignalHub } from "@agent-platform/toolkit"
import { Effect, Layer } from "effect"
import { Signals } from "../ports/Signals.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Signals within one process. */
export const layerSignals: Layer.Layer<Signals, never, MemoryDatabase> = Layer.effect(
  Signals,
  Effect.map(MemoryDatabase, (database) => {
    const hub = makeSignalHub()
    return Signals.of({
      raise: (topic) => database.afterCommit(Effect.sync(() => hub.wake(topic))),
      listen: hub.listen
    })
  })
)
