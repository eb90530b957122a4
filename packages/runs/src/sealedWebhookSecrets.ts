import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { InboundWebhookStore } from "./ports/InboundWebhookStore.ts"

/** The secrets of all inbound webhooks that are not deleted, for when the key that seals them changes. */
export const sealedWebhookSecrets: Effect.Effect<SealedValues, never, InboundWebhookStore> = Effect.map(
  InboundWebhookStore,
  (store) => ({
    name: "inbound webhook secrets",
    page: store.sealedSecrets,
    replace: store.replaceSealedSecret
  })
)
