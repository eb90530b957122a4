import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { Agent, AgentId } from "@agent-platform/runs"
import { readTimestamp } from "../columns.ts"
import { readNullableMoney } from "../money.ts"

/** A row of `agent`, its names prefixed so that it can stand beside another table's row. */
export interface AgentRow {
  readonly agent_organization_id: OrganizationId
  readonly agent_workspace_id: WorkspaceId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly agent_description: string | null
  readonly agent_recipe: string
  readonly agent_recipes: ReadonlyArray<string>
  readonly agent_model: string | null
  readonly agent_instructions: string | null
  readonly agent_max_cost_usd: string | null
  readonly agent_version: number
  readonly agent_created_at: Date
  readonly agent_updated_at: Date
}

/** The columns of an `AgentRow`. */
export const AGENT_COLUMNS = [
  "organization_id",
  "workspace_id",
  "id",
  "name",
  "description",
  "recipe",
  "recipes",
  "model",
  "instructions",
  "max_cost_usd",
  "version",
  "created_at",
  "updated_at"
]
  .map((name) => `agent.${name} as agent_${name}`)
  .join(", ")

/** The agent in a row. */
export const toAgent = (row: AgentRow): Agent => ({
  id: row.agent_id,
  organizationId: row.agent_organization_id,
  workspaceId: row.agent_workspace_id,
  name: row.agent_name,
  description: row.agent_description,
  recipe: row.agent_recipe,
  recipes: row.agent_recipes,
  model: row.agent_model,
  instructions: row.agent_instructions,
  maxCostUsd: readNullableMoney(row.agent_max_cost_usd),
  version: row.agent_version,
  createdAt: readTimestamp(row.agent_created_at),
  updatedAt: readTimestamp(row.agent_updated_at)
})
