import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { RecordKeyStore } from "../ports/RecordKeyStore.ts"
import type { RecordKey } from "../RecordKey.ts"

/** Keys for records over a `MemoryDatabase`. */
export const layerRecordKeyStore: Layer.Layer<RecordKeyStore, never, MemoryDatabase> = Layer.effect(
  RecordKeyStore,
  MemoryDatabase.use((database) => {
    const keys = database.table<RecordKey>("record_key")
    const current = Effect.map(keys.all, (all) => all.find((key) => key.retiredAt === null))
    return Effect.succeed(
      RecordKeyStore.of({
        current,
        list: Effect.map(keys.all, (all) => [...all].reverse()),
        // Transactions in memory run one after another, which is hold enough.
        hold: Effect.void,
        insert: (key) =>
          Effect.gen(function* () {
            const before = yield* current
            if (before !== undefined) yield* keys.put(before.id, { ...before, retiredAt: key.createdAt })
            yield* keys.put(key.id, key)
          })
      })
    )
  })
)
