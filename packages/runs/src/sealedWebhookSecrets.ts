import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { InboundWebhookStore } from "./ports/InboundWebhookStore.ts"

/** The secrets of all living inbound webhooks, for a change of the sealing key. */
export const sealedWebhookSecrets: Effect.Effect<SealedValues, never, InboundWebhookStore> = Effect.map(
  InboundWebhookStore,
  (store) => ({
    name: "inbound webhook secrets",
    page: store.sealedSecrets,
    replace: store.replaceSealedSecret
  })
)
