import { type AgentWithWebhook, type InboundWebhook, isActive } from "@agent-platform/runs"
import { Redacted } from "effect"
import { canonicalUsd } from "./money.ts"

const webhookState = (webhook: InboundWebhook) => ({
  active: isActive(webhook),
  verification: webhook.verification,
  createdAt: webhook.createdAt,
  lastReceivedAt: webhook.lastReceivedAt
})

/** An agent as the contract shows it; its endpoint's secret only where that was just made. */
export const agentView = ({ agent, webhook }: AgentWithWebhook, endpointSecret: Redacted.Redacted | null = null) => ({
  agentId: agent.id,
  name: agent.name,
  description: agent.description,
  recipe: agent.recipe,
  recipes: agent.recipes,
  model: agent.model,
  instructions: agent.instructions,
  tools: agent.tools,
  mcpServers: agent.mcpServers.map(({ name, sealedHeaders, url }) => ({
    name,
    url,
    hasHeaders: sealedHeaders !== null
  })),
  endpoint:
    agent.endpoint === null
      ? null
      : { url: agent.endpoint.url, signingSecret: endpointSecret === null ? null : Redacted.value(endpointSecret) },
  maxCostUsd: agent.maxCostUsd === null ? null : canonicalUsd(agent.maxCostUsd),
  inputSchema: agent.inputSchema,
  version: agent.version,
  status: agent.archivedAt === null ? ("active" as const) : ("archived" as const),
  webhook: webhook === null ? null : webhookState(webhook),
  createdAt: agent.createdAt,
  updatedAt: agent.updatedAt
})

/** A deleted agent as the contract shows it. */
export const deletedAgentView = ({ archivedAt, id, updatedAt }: AgentWithWebhook["agent"]) => ({
  agentId: id,
  status: "archived" as const,
  archivedAt: archivedAt ?? updatedAt
})
