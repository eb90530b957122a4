import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { type Context, Effect, Layer } from "effect"
import { bite } from "./bite.ts"

/** Faults of one service among memory adapters, each of which its contract suite must catch by these cases. */
export const faultsOf =
  <Self, Service extends object, Others>(
    key: Context.Key<Self, Service>,
    memory: Layer.Layer<Self | MemoryDatabase | Others>,
    suite: (name: string, layer: Layer.Layer<Self | MemoryDatabase | Others>) => void
  ) =>
  (
    fault: string,
    broken: (service: Service, database: MemoryDatabase["Service"]) => Partial<Service>,
    caughtBy: ReadonlyArray<string>
  ) => {
    const layer = Layer.effect(
      key,
      Effect.gen(function* () {
        const service = yield* key
        return { ...service, ...broken(service, yield* MemoryDatabase) }
      })
    )
    bite(fault, () => suite("a broken one", Layer.provideMerge(layer, memory)), caughtBy)
  }
