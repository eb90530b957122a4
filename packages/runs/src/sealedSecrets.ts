/** The sealed values in the stores of this package, which are sealed again when the key that seals changes. */
import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { AgentStore } from "./ports/AgentStore.ts"
import { InboundWebhookStore } from "./ports/InboundWebhookStore.ts"
import { RecordKeyStore } from "./ports/RecordKeyStore.ts"

/** The secrets of all agents' endpoints and the headers of their servers. */
export const sealedAgentSecrets: Effect.Effect<SealedValues, never, AgentStore> = Effect.map(AgentStore, (store) => ({
  name: "agent secrets",
  page: store.sealedSecrets,
  replace: store.replaceSealedSecret
}))

/** The secrets of all living inbound webhooks. */
export const sealedWebhookSecrets: Effect.Effect<SealedValues, never, InboundWebhookStore> = Effect.map(
  InboundWebhookStore,
  (store) => ({ name: "inbound webhook secrets", page: store.sealedSecrets, replace: store.replaceSealedSecret })
)

/** The private keys of all keys for records. */
export const sealedRecordKeys: Effect.Effect<SealedValues, never, RecordKeyStore> = Effect.map(
  RecordKeyStore,
  (store) => ({ name: "record keys", page: store.sealedPrivateKeys, replace: store.replaceSealedPrivateKey })
)
