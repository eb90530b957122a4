import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type AgentId, AgentNotFound } from "../Agent.ts"
import { recordAgentAct } from "../activity.ts"
import { InboundWebhook, isActive, WebhookNotFound } from "../InboundWebhook.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"

/**
 * Deletes an agent's inbound URL: it is gone at once, and the runs that it triggered stay. A repetition returns the
 * same. Fails with AgentNotFound, or WebhookNotFound when the agent never had one. Spec: Agents 2.
 */
export const deleteWebhook = useCase("runs.deleteWebhook")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
}) {
  const { agentId, caller } = command
  const agents = yield* AgentStore
  const webhooks = yield* InboundWebhookStore
  const agent = yield* agents.hold(caller.workspaceId, agentId)
  if (agent === undefined) return yield* new AgentNotFound()
  const [webhook] = yield* webhooks.ofAgents(caller.workspaceId, [agentId])
  if (webhook === undefined) return yield* new WebhookNotFound()
  const deletedAt = webhook.deletedAt ?? (yield* DateTime.now)
  if (!isActive(webhook)) return { agentId, deletedAt }
  yield* webhooks.put(InboundWebhook.deleted(webhook, deletedAt))
  yield* recordAgentAct(caller, "webhook_deleted", agent, {})
  return { agentId, deletedAt }
}, atomic)
