import { Signals } from "@agent-platform/kernel"
import { Context, Effect, Layer, Queue } from "effect"

/** The count of listeners for signals, offered at every change. Followers and waiting requests listen. */
export class Listeners extends Context.Service<Listeners, Queue.Queue<number>>()("Listeners") {}

/** Signals whose listeners are counted. */
export const layerListeners = Layer.effectContext(
  Effect.gen(function* () {
    const signals = yield* Signals
    const counts = yield* Queue.unbounded<number>()
    let count = 0
    const change = (by: number) =>
      Effect.sync(() => {
        count += by
        Queue.offerUnsafe(counts, count)
      })
    return Context.make(Listeners, counts).pipe(
      Context.add(Signals, {
        ...signals,
        listen: (topic) =>
          Effect.andThen(
            Effect.acquireRelease(change(1), () => change(-1)),
            signals.listen(topic)
          )
      })
    )
  })
)
