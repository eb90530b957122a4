import {
  type AgentTemplateSettings,
  type AgentVersion,
  type AgentWithWebhook,
  isActive,
  MODEL_SETTINGS
} from "@agent-platform/runs"
import { Redacted } from "effect"
import { canonicalUsd } from "./money.ts"

/** Every setting of its model; null for one that is left to the recipe. */
const modelSettingsOf = ({ modelSettings }: Pick<AgentTemplateSettings, "modelSettings">) => ({
  ...(Object.fromEntries(MODEL_SETTINGS.map((name) => [name, null])) as Record<(typeof MODEL_SETTINGS)[number], null>),
  promptCache: "auto" as const,
  ...modelSettings
})

/** The settings of an agent, or of a template of agents, as the contract shows them; a secret only where it was just made. */
export const agentSettingsView = <Settings extends AgentTemplateSettings>(
  settings: Settings,
  endpointSecret: Redacted.Redacted | null
) => ({
  ...settings,
  ...modelSettingsOf(settings),
  endpoint:
    settings.endpoint === null
      ? null
      : { url: settings.endpoint.url, signingSecret: endpointSecret === null ? null : Redacted.value(endpointSecret) },
  maxCostUsd: settings.maxCostUsd === null ? null : canonicalUsd(settings.maxCostUsd)
})

/** A version of an agent as the contract shows it. */
export const agentVersionView = ({ agentId, createdAt, isArchived, settings, version }: AgentVersion) => ({
  ...settings,
  ...modelSettingsOf(settings),
  agentId,
  version,
  endpoint: settings.endpointUrl === null ? null : { url: settings.endpointUrl },
  maxCostUsd: settings.maxCostUsd === null ? null : canonicalUsd(settings.maxCostUsd),
  status: isArchived ? ("archived" as const) : ("active" as const),
  createdAt
})

/** An agent as the contract shows it; its endpoint's secret only where that was just made. */
export const agentView = ({ agent, webhook }: AgentWithWebhook, endpointSecret: Redacted.Redacted | null = null) => {
  const mcpServers = agent.mcpServers.map((server) => ({ ...server, hasHeaders: server.sealedHeaders !== null }))
  return {
    ...agentSettingsView({ ...agent, mcpServers }, endpointSecret),
    agentId: agent.id,
    status: agent.archivedAt === null ? ("active" as const) : ("archived" as const),
    webhook: webhook === null ? null : { ...webhook, active: isActive(webhook) }
  }
}

/** A deleted agent as the contract shows it. */
export const deletedAgentView = ({ archivedAt, id, updatedAt }: AgentWithWebhook["agent"]) => ({
  agentId: id,
  status: "archived" as const,
  archivedAt: archivedAt ?? updatedAt
})
