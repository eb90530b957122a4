import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { ToolSecretStore } from "./ports/ToolSecretStore.ts"
import { ToolSecretId, toolSecretPlace } from "./ToolSecret.ts"

/** The sealed values of all tool secrets, for sealing them anew when the sealing key changes. */
export const sealedToolSecrets: Effect.Effect<SealedValues, never, ToolSecretStore> = Effect.map(
  ToolSecretStore,
  (store) => ({
    name: "tool secrets",
    page: (after, limit) =>
      Effect.map(store.everySecret(after === undefined ? undefined : ToolSecretId.make(after), limit), (found) =>
        found.map(({ sealed, secret }) => ({ position: secret.id, place: toolSecretPlace(secret), sealed }))
      ),
    replace: store.replaceSealed
  })
)
