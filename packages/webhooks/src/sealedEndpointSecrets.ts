import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { EndpointStore } from "./ports/EndpointStore.ts"

/** The sealed signing secrets of all endpoints, for sealing them anew when the sealing key changes. */
export const sealedEndpointSecrets: Effect.Effect<SealedValues, never, EndpointStore> = Effect.map(
  EndpointStore,
  (store) => ({ name: "webhook signing secrets", page: store.sealedSecrets, replace: store.replaceSealedSecret })
)
