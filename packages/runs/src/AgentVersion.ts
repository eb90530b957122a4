import type { DateTime } from "effect"
import { type Agent, type AgentSettings, isLive, type McpServer } from "./Agent.ts"

/** Most versions of an agent that are kept, the present one among them. Older ones are forgotten. */
export const AGENT_VERSIONS_MAX = 100

/** The settings of a version, as they are shown: no secret is kept with it. */
export interface AgentVersionSettings extends Omit<AgentSettings, "mcpServers" | "endpoint"> {
  readonly mcpServers: ReadonlyArray<Pick<McpServer, "name" | "url" | "tools"> & { readonly hasHeaders: boolean }>
  readonly endpointUrl: string | null
}

/** An agent as it was from one change to the next. */
export interface AgentVersion {
  readonly organizationId: Agent["organizationId"]
  readonly workspaceId: Agent["workspaceId"]
  readonly agentId: Agent["id"]
  readonly version: number
  /** Whether this version archived the agent. */
  readonly isArchived: boolean
  readonly settings: AgentVersionSettings
  readonly createdAt: DateTime.Utc
}

/** The version that an agent is at. */
export const versionOf = (agent: Agent): AgentVersion => {
  const {
    archivedAt,
    createdAt,
    endpoint,
    id,
    mcpServers,
    organizationId,
    updatedAt,
    version,
    workspaceId,
    ...settings
  } = agent
  const servers = mcpServers.map(({ name, sealedHeaders, tools, url }) => ({
    name,
    url,
    tools,
    hasHeaders: sealedHeaders !== null
  }))
  return {
    organizationId,
    workspaceId,
    agentId: id,
    version,
    isArchived: !isLive(agent),
    settings: { ...settings, mcpServers: servers, endpointUrl: endpoint?.url ?? null },
    createdAt: updatedAt
  }
}
