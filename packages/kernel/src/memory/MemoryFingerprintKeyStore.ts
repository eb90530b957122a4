import { Effect } from "effect"
import { FingerprintKeyStore } from "../ports/FingerprintKeyStore.ts"
import { layerMemory } from "./MemoryDatabase.ts"

const ROW = "key"

/** The key of fingerprints over a `MemoryDatabase`. */
export const layerFingerprintKeyStore = layerMemory(FingerprintKeyStore)((database) => {
  const keys = database.table<string>("fingerprint_key")
  return {
    find: keys.get(ROW),
    insert: Effect.fnUntraced(function* (sealed) {
      if ((yield* keys.get(ROW)) === undefined) yield* keys.put(ROW, sealed)
    }),
    replace: Effect.fnUntraced(function* (sealed, resealed) {
      if ((yield* keys.get(ROW)) !== sealed) return false
      yield* keys.put(ROW, resealed)
      return true
    })
  }
})
