import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { EndpointStore } from "./ports/EndpointStore.ts"

/** The signing secrets of all endpoints, for when the key that seals them changes. */
export const sealedEndpointSecrets: Effect.Effect<SealedValues, never, EndpointStore> = Effect.map(
  EndpointStore,
  (store) => ({ name: "webhook signing secrets", page: store.sealedSecrets, replace: store.replaceSealedSecret })
)
