import { Effect, Layer, PubSub } from "effect"
import { Signals } from "../ports/Signals.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

/** Signals within one process. */
export const layerSignals: Layer.Layer<Signals, never, MemoryDatabase> = Layer.effect(
  Signals,
  Effect.gen(function*() {
    const database = yield* MemoryDatabase
    const raised = yield* PubSub.unbounded<string>()
    return Signals.of({
      raise: (topic) => database.afterCommit(Effect.asVoid(PubSub.publish(raised, topic))),
      listen: Effect.fnUntraced(function*(topic: string) {
        const subscription = yield* PubSub.subscribe(raised)
        const next: Effect.Effect<void> = Effect.flatMap(
          PubSub.take(subscription),
          (heard) => (heard === topic ? Effect.void : next)
        )
        return (seconds: number) => Effect.asVoid(Effect.timeoutOption(next, `${seconds} seconds`))
      })
    })
  })
)
