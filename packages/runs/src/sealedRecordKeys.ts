import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { RecordKeyStore } from "./ports/RecordKeyStore.ts"

/** The private keys of all keys for records, for when the key that seals them changes. */
export const sealedRecordKeys: Effect.Effect<SealedValues, never, RecordKeyStore> = Effect.map(
  RecordKeyStore,
  (store) => ({
    name: "record keys",
    page: store.sealedPrivateKeys,
    replace: store.replaceSealedPrivateKey
  })
)
