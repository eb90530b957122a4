import { Effect } from "effect"
import { type Erased, portionOf, RecordEraser, rowsMaxOf } from "../ports/Eraser.ts"
import { countWhere, eraseWhere } from "./erasing.ts"
import { layerMemory } from "./MemoryDatabase.ts"
import type { KeptKey } from "./MemoryIdempotency.ts"

/** Whether a key is among what is erased. No key is a person's. */
const isErasedKey =
  (what: Erased) =>
  ({ resourceId, scope }: KeptKey): boolean => {
    switch (what._tag) {
      case "Resources":
        return what.ids.includes(resourceId)
      case "Tenant":
        return scope === (what.workspaceId ?? what.organizationId)
      case "Person":
        return false
    }
  }

/** The eraser of idempotency keys over a `MemoryDatabase`. */
export const layerRecordEraser = layerMemory(RecordEraser)((database) => {
  const kept = database.table<KeptKey>("idempotency_key")
  return {
    count: (what, max) =>
      Effect.map(countWhere(kept, isErasedKey(what), max), (idempotency_keys) => ({ idempotency_keys })),
    erase: (what, max) =>
      Effect.map(
        eraseWhere(kept, ({ place }) => place, isErasedKey(what), rowsMaxOf(what, max)),
        (idempotency_keys) => portionOf(what, { idempotency_keys })
      )
  }
})
