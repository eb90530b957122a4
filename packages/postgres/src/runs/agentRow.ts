import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { Agent, AgentId, AgentSettings, McpServer } from "@agent-platform/runs"
import type { Schema } from "effect"
import { jsonb, readNullableTimestamp, readTimestamp, texts } from "../columns.ts"
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
  readonly agent_tools: ReadonlyArray<string>
  readonly agent_mcp_servers: ReadonlyArray<McpServer>
  readonly agent_endpoint_url: string | null
  readonly agent_sealed_endpoint_secret: string | null
  readonly agent_max_cost_usd: string | null
  readonly agent_input_schema: Schema.Json
  readonly agent_version: number
  readonly agent_created_at: Date
  readonly agent_updated_at: Date
  readonly agent_archived_at: Date | null
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
  "tools",
  "mcp_servers",
  "endpoint_url",
  "sealed_endpoint_secret",
  "max_cost_usd",
  "input_schema",
  "version",
  "created_at",
  "updated_at",
  "archived_at"
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
  tools: row.agent_tools,
  mcpServers: row.agent_mcp_servers,
  endpoint:
    row.agent_endpoint_url === null || row.agent_sealed_endpoint_secret === null
      ? null
      : { url: row.agent_endpoint_url, sealedSecret: row.agent_sealed_endpoint_secret },
  maxCostUsd: readNullableMoney(row.agent_max_cost_usd),
  inputSchema: row.agent_input_schema,
  version: row.agent_version,
  createdAt: readTimestamp(row.agent_created_at),
  updatedAt: readTimestamp(row.agent_updated_at),
  archivedAt: readNullableTimestamp(row.agent_archived_at)
})

/** The columns of an agent's settings, for `insert` and `update`. */
export const fromSettings = (settings: AgentSettings) => ({
  name: settings.name,
  description: settings.description,
  recipe: settings.recipe,
  recipes: texts(settings.recipes),
  model: settings.model,
  instructions: settings.instructions,
  tools: texts(settings.tools),
  mcp_servers: jsonb(settings.mcpServers),
  endpoint_url: settings.endpoint?.url ?? null,
  sealed_endpoint_secret: settings.endpoint?.sealedSecret ?? null,
  max_cost_usd: settings.maxCostUsd,
  input_schema: settings.inputSchema === null ? null : jsonb(settings.inputSchema)
})
