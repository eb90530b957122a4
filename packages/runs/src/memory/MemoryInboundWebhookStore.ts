import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { type InboundWebhook, isActive } from "../InboundWebhook.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"

/** Inbound webhooks over a `MemoryDatabase`. */
export const layerInboundWebhookStore: Layer.Layer<InboundWebhookStore, never, MemoryDatabase> = Layer.effect(
  InboundWebhookStore,
  MemoryDatabase.use((database) => {
    const webhooks = database.table<InboundWebhook>("agent_webhook")
    const findByToken: InboundWebhookStore["Service"]["findByToken"] = (agentId, tokenHash) =>
      Effect.map(webhooks.get(agentId), (found) =>
        found !== undefined && found.tokenHash === tokenHash && isActive(found) ? found : undefined
      )
    return Effect.succeed(
      InboundWebhookStore.of({
        put: (webhook) => webhooks.put(webhook.agentId, webhook),
        ofAgents: (workspaceId, ids) =>
          Effect.map(webhooks.all, (all) =>
            all.filter((webhook) => webhook.workspaceId === workspaceId && ids.includes(webhook.agentId))
          ),
        findByToken,
        // Transactions in memory run one after another, which is hold enough.
        holdByToken: findByToken,
        received: (agentId, tokenHash, at) =>
          Effect.flatMap(webhooks.get(agentId), (found) => {
            if (found?.tokenHash !== tokenHash) return Effect.void
            const known = found.lastReceivedAt
            if (known !== null && DateTime.isGreaterThanOrEqualTo(known, at)) return Effect.void
            return webhooks.put(agentId, { ...found, lastReceivedAt: at })
          })
      })
    )
  })
)
