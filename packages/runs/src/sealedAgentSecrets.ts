import type { SealedValues } from "@agent-platform/kernel"
import { Effect } from "effect"
import { AgentStore } from "./ports/AgentStore.ts"

/** The secrets of all agents' endpoints and the headers of their servers, for when the key that seals them changes. */
export const sealedAgentSecrets: Effect.Effect<SealedValues, never, AgentStore> = Effect.map(AgentStore, (store) => ({
  name: "agent secrets",
  page: store.sealedSecrets,
  replace: store.replaceSealedSecret
}))
