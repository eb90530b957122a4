import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { ProviderKeyId, providerKeyPlace } from "./ProviderKey.ts"
import { ProviderKeyStore } from "./ports/ProviderKeyStore.ts"

/** The sealed values of all provider keys, for sealing them anew when the sealing key changes. */
export const sealedProviderKeys: Effect.Effect<SealedValues, never, ProviderKeyStore> = Effect.map(
  ProviderKeyStore,
  (store) => ({
    name: "provider keys",
    page: (after, limit) =>
      Effect.map(store.everyKey(after === undefined ? undefined : ProviderKeyId.make(after), limit), (found) =>
        found.map(({ key, sealed }) => ({ position: key.id, place: providerKeyPlace(key), sealed }))
      ),
    replace: store.replaceSealed
  })
)
