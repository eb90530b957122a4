import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { RecordKeyStore } from "../ports/RecordKeyStore.ts"
import { type RecordKey, recordKeyPlace } from "../RecordKey.ts"
import { sealedPage } from "./sealedPage.ts"

/** Keys for records over a `MemoryDatabase`. */
export const layerRecordKeyStore = layerMemory(RecordKeyStore)((database) => {
  const keys = database.table<RecordKey>("record_key")
  const current = Effect.map(keys.all, (all) => all.find((key) => key.retiredAt === null))
  return {
    current,
    list: Effect.map(keys.all, (all) => [...all].reverse()),
    // Transactions in memory run one after another, so nothing has to be locked.
    hold: Effect.void,
    insert: Effect.fnUntraced(function* (key) {
      const before = yield* current
      if (before !== undefined) yield* keys.put(before.id, { ...before, retiredAt: key.createdAt })
      yield* keys.put(key.id, key)
    }),
    sealedPrivateKeys: (after, limit) =>
      Effect.map(keys.all, (all) => {
        const values = all.map((key) => ({
          position: key.id,
          place: recordKeyPlace(key),
          sealed: key.sealedPrivateKey
        }))
        return sealedPage(values, after, limit)
      }),
    replaceSealedPrivateKey: Effect.fnUntraced(function* (value, resealed) {
      const key = yield* keys.get(value.position)
      if (key?.sealedPrivateKey !== value.sealed) return false
      yield* keys.put(key.id, { ...key, sealedPrivateKey: resealed })
      return true
    })
  }
})
