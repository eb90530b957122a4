import type { Agent } from "@agent-platform/runs"
import { canonicalUsd } from "./money.ts"

/** An agent as the contract shows it. */
export const agentView = (agent: Agent) => ({
  agentId: agent.id,
  name: agent.name,
  description: agent.description,
  recipe: agent.recipe,
  recipes: agent.recipes,
  model: agent.model,
  instructions: agent.instructions,
  tools: [],
  mcpServers: [],
  endpoint: null,
  maxCostUsd: agent.maxCostUsd === null ? null : canonicalUsd(agent.maxCostUsd),
  inputSchema: null,
  version: agent.version,
  status: "active" as const,
  webhook: null,
  createdAt: agent.createdAt,
  updatedAt: agent.updatedAt
})
