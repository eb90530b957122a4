import type { SealedValue } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { type InboundWebhook, isActive, webhookSecretPlace } from "../InboundWebhook.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import { sealedPage } from "./sealedPage.ts"

const sealedValues = (webhook: InboundWebhook): ReadonlyArray<SealedValue> =>
  webhook.sealedSecret === null
    ? []
    : [{ position: webhook.agentId, place: webhookSecretPlace(webhook), sealed: webhook.sealedSecret }]

/** Inbound webhooks over a `MemoryDatabase`. */
export const layerInboundWebhookStore = layerMemory(InboundWebhookStore)((database) => {
  const webhooks = database.table<InboundWebhook>("agent_webhook")
  const findByToken: InboundWebhookStore["Service"]["findByToken"] = (agentId, tokenHash) =>
    Effect.map(webhooks.get(agentId), (found) =>
      found !== undefined && found.tokenHash === tokenHash && isActive(found) ? found : undefined
    )
  return {
    put: (webhook) => webhooks.put(webhook.agentId, webhook),
    ofAgents: (workspaceId, ids) =>
      Effect.map(webhooks.all, (all) =>
        all.filter((webhook) => webhook.workspaceId === workspaceId && ids.includes(webhook.agentId))
      ),
    findByToken,
    // Transactions in memory run one after another, so nothing has to be locked.
    holdByToken: findByToken,
    noteReceived: (agentId, tokenHash, at) =>
      Effect.flatMap(webhooks.get(agentId), (found) => {
        if (found?.tokenHash !== tokenHash) return Effect.void
        const known = found.lastReceivedAt
        if (known !== null && DateTime.isGreaterThanOrEqualTo(known, at)) return Effect.void
        return webhooks.put(agentId, { ...found, lastReceivedAt: at })
      }),
    sealedSecrets: (after, limit) =>
      Effect.map(webhooks.all, (all) => sealedPage(all.filter(isActive).flatMap(sealedValues), after, limit)),
    replaceSealedSecret: Effect.fnUntraced(function* (value, resealed) {
      const found = yield* webhooks.get(value.position)
      if (found === undefined || !isActive(found) || found.sealedSecret !== value.sealed) return false
      yield* webhooks.put(found.agentId, { ...found, sealedSecret: resealed })
      return true
    })
  }
})
