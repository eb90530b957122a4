import { Effect } from "effect"
import { type Erasure, isErasureFinished } from "../Erasure.ts"
import { ErasureStore } from "../ports/ErasureStore.ts"
import { layerMemory } from "./MemoryDatabase.ts"

/** Erasures over a `MemoryDatabase`. */
export const layerErasureStore = layerMemory(ErasureStore)((database) => {
  const erasures = database.table<Erasure>("erasure")
  const find: ErasureStore["Service"]["find"] = (organizationId, id) =>
    Effect.map(erasures.get(id), (found) => (found?.organizationId === organizationId ? found : undefined))
  return {
    // Transactions over memory run one after another anyway.
    hold: () => Effect.void,
    insert: (erasure) => erasures.put(erasure.id, erasure),
    find,
    findUnfinished: (organizationId, kind, subjectId) =>
      Effect.map(erasures.all, (all) =>
        all.find(
          (one) =>
            one.organizationId === organizationId &&
            one.kind === kind &&
            one.subjectId === subjectId &&
            !isErasureFinished(one)
        )
      ),
    findToChange: find,
    replace: (erasure) => erasures.put(erasure.id, erasure)
  }
})
