import type { PageRequest, WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { type AgentId, AgentNotFound } from "../Agent.ts"
import type { AgentWithWebhook } from "../InboundWebhook.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"

/** The workspace's agent, archived or not. Fails with AgentNotFound. */
export const readAgent = useCase("runs.readAgent")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
}) {
  const agents = yield* AgentStore
  const webhooks = yield* InboundWebhookStore
  const agent = yield* agents.recall(query.caller.workspaceId, query.agentId)
  if (agent === undefined) return yield* new AgentNotFound()
  const [webhook] = yield* webhooks.ofAgents(query.caller.workspaceId, [agent.id])
  return { agent, webhook: webhook ?? null } satisfies AgentWithWebhook
})

/** The kept versions of the workspace's agent, archived or not, the latest first. Fails with AgentNotFound. */
export const listAgentVersions = useCase("runs.listAgentVersions")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId
  readonly page: PageRequest
}) {
  const { agentId, caller, page } = query
  const agents = yield* AgentStore
  if ((yield* agents.recall(caller.workspaceId, agentId)) === undefined) return yield* new AgentNotFound()
  return yield* agents.versions(caller.workspaceId, agentId, page)
})

/** The workspace's agents that are not archived, newest first. Spec: Agents. */
export const listAgents = useCase("runs.listAgents")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly page: PageRequest
}) {
  const agents = yield* AgentStore
  const webhooks = yield* InboundWebhookStore
  const { items, next } = yield* agents.list(query.caller.workspaceId, query.page)
  const ids = items.map(({ id }) => id)
  const found = yield* webhooks.ofAgents(query.caller.workspaceId, ids)
  const byAgent = new Map(found.map((webhook) => [webhook.agentId, webhook]))
  return { items: items.map((agent): AgentWithWebhook => ({ agent, webhook: byAgent.get(agent.id) ?? null })), next }
})
