import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { DateTime, Equal, Schema, String as Text } from "effect"
import type { FunctionTool, ModelSettings, Overridable, RunOverrides } from "./ModelSettings.ts"

export const AgentId = Uuid.pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

/** A server of tools over HTTP (Model Context Protocol) that the agent's recipe may use. */
export interface McpServer {
  /** Unique within the agent. */
  readonly name: string
  readonly url: string
  /** A JSON object of headers, sealed for `mcpHeadersPlace`; null where there are none. */
  readonly sealedHeaders: string | null
  /** The tools that the model gets of it, by the server's own names; null for all. */
  readonly tools: ReadonlyArray<string> | null
}

/** A replaced secret of an endpoint, which signs beside the current one until it expires. */
export interface RetiringEndpointSecret {
  /** Sealed for `endpointSecretPlace`. */
  readonly sealed: string
  readonly expiresAt: DateTime.Utc
}

/** Where the recipe `http` finds the agent. */
export interface AgentEndpoint {
  readonly url: string
  /** The secret that signs requests, sealed for `endpointSecretPlace`. */
  readonly sealedSecret: string
  /** The secret before it, which may have expired by now; null where there is none. */
  readonly retiring: RetiringEndpointSecret | null
}

/** A recipe with its settings, from which runs are made. */
export interface Agent {
  readonly id: AgentId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly description: string | null
  /** The recipe of a run that names none. */
  readonly recipe: string
  /** Further recipes that a run may name. */
  readonly recipes: ReadonlyArray<string>
  readonly model: string | null
  readonly instructions: string | null
  /** Names of tools that the recipe knows. */
  readonly tools: ReadonlyArray<string>
  readonly mcpServers: ReadonlyArray<McpServer>
  readonly endpoint: AgentEndpoint | null
  readonly modelSettings: ModelSettings
  /** Tools that are neither the recipe's nor a server's: the caller of the run answers what the model calls for. */
  readonly functionTools: ReadonlyArray<FunctionTool>
  /** Names of tools that somebody has to approve of before each call; `*` for all. */
  readonly approvals: ReadonlyArray<string>
  /** The settings that a run may have for itself. */
  readonly overridable: ReadonlyArray<Overridable>
  /** The most that one run may cost, in USD as a decimal; null means no cap but the workspace's. */
  readonly maxCostUsd: string | null
  /** The JSON schema that the input of a run must have; null for any. */
  readonly inputSchema: Schema.JsonObject | null
  /** From 1, one more with every change. */
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
  /** From then on no run can be triggered; what there is of it can still be read. */
  readonly archivedAt: DateTime.Utc | null
}

/** The settings of an agent that can be changed. */
export type AgentSettings = Omit<
  Agent,
  "id" | "organizationId" | "workspaceId" | "version" | "createdAt" | "updatedAt" | "archivedAt"
>

/** No such agent in the caller's workspace, or one that was archived where a living one is needed. */
export class AgentNotFound extends Schema.TaggedError<AgentNotFound>()("AgentNotFound", {}) {}

/** No program of this name is registered here, or the agent does not list it. */
export class RecipeUnknown extends Schema.TaggedError<RecipeUnknown>()("RecipeUnknown", {
  recipe: Schema.String,
  /** Those that would do in its place. */
  possible: Schema.Array(Schema.String)
}) {}

/** An agent that uses the recipe `http` has no endpoint. */
export class EndpointMissing extends Schema.TaggedError<EndpointMissing>()("EndpointMissing", {}) {}

/** A recipe of the agent cannot work with one of its settings, or with one that a run has in its place. */
export class AgentFlawed extends Schema.TaggedError<AgentFlawed>()("AgentFlawed", {
  /** The setting, and the place in it where it is a list or an object. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  /** The requirement that is not met, as the end of a sentence that begins with the setting. */
  detail: Schema.String
}) {}

/** The agent is not at the version that the change was meant for. */
export class AgentVersionConflict extends Schema.TaggedError<AgentVersionConflict>()("AgentVersionConflict", {
  version: Schema.Int
}) {}

/** The recipe that calls an agent's endpoint. */
export const HTTP_RECIPE = "http"

/** Whether a run of this agent may use the recipe. */
export const offers = (agent: Pick<Agent, "recipe" | "recipes">, recipe: string): boolean =>
  agent.recipe === recipe || agent.recipes.includes(recipe)

/** The recipes of the agent that are registered here. */
export const executable = (
  agent: Pick<Agent, "recipe" | "recipes">,
  registered: ReadonlySet<string>
): ReadonlyArray<string> => [...new Set([agent.recipe, ...agent.recipes])].filter((recipe) => registered.has(recipe))

/** Whether a run of it can be triggered. */
export const isLive = (agent: Agent): boolean => agent.archivedAt === null

const DEFAULTS = {
  description: null,
  recipes: [],
  model: null,
  instructions: null,
  tools: [],
  mcpServers: [],
  endpoint: null,
  modelSettings: {},
  functionTools: [],
  approvals: [],
  overridable: [],
  maxCostUsd: null,
  inputSchema: null
} satisfies Omit<AgentSettings, "name" | "recipe">

/** The given settings of an agent, and empty ones for those that are left out. */
const withDefaults = <Given extends Pick<AgentSettings, "name" | "recipe">>(given: Given): typeof DEFAULTS & Given => ({
  ...DEFAULTS,
  ...given
})

/** The agent in its first version; settings that are left out are empty. */
const created = (
  identity: Pick<Agent, "id" | "organizationId" | "workspaceId">,
  settings: Pick<AgentSettings, "name" | "recipe"> & Partial<AgentSettings>,
  createdAt: DateTime.Utc
): Agent => ({
  ...withDefaults(settings),
  ...identity,
  version: 1,
  createdAt,
  updatedAt: createdAt,
  archivedAt: null
})

/** The fields of an agent, with those of its model settings beside them, without the two that every change moves. */
const settingsIn = ({ modelSettings, updatedAt, version, ...settings }: Agent): Readonly<Record<string, unknown>> => ({
  ...settings,
  ...modelSettings
})

/** The names of the settings in which two versions of an agent differ, as callers know them. */
export const agentDifferences = (before: Agent, after: Agent): ReadonlyArray<string> => {
  const [old, now] = [settingsIn(before), settingsIn(after)]
  return Object.keys({ ...old, ...now })
    .filter((name) => !Equal.equals(old[name], now[name]))
    .map(Text.camelToSnake)
    .sort()
}

/** The agent with these settings: one version further, unless nothing is different. */
const changed = (agent: Agent, settings: Partial<AgentSettings>, now: DateTime.Utc): Agent => {
  const after = { ...agent, ...settings }
  return Equal.equals(after, agent) ? agent : { ...after, version: agent.version + 1, updatedAt: now }
}

/** The agent, archived for good. One that was archived before stays as it is. */
const archived = (agent: Agent, now: DateTime.Utc): Agent =>
  isLive(agent) ? { ...agent, archivedAt: now, version: agent.version + 1, updatedAt: now } : agent

/** The agent as a run has it that overrides some of its settings. */
const overridden = (agent: Agent, overrides: RunOverrides | null): Agent => {
  if (overrides === null) return agent
  const { instructions = agent.instructions, model = agent.model, tools = agent.tools, ...settings } = overrides
  return { ...agent, instructions, model, tools, modelSettings: { ...agent.modelSettings, ...settings } }
}

/** The place that the secret of an agent's endpoint is sealed for. */
export const endpointSecretPlace = (agent: Pick<Agent, "id" | "workspaceId">): string =>
  `workspace/${agent.workspaceId}/agent/${agent.id}/endpoint_secret`

/** The place that the headers for one of an agent's servers of tools are sealed for. */
export const mcpHeadersPlace = (agent: Pick<Agent, "id" | "workspaceId">, server: Pick<McpServer, "name">): string =>
  `workspace/${agent.workspaceId}/agent/${agent.id}/mcp_headers/${server.name}`

/** How long a replaced secret of an endpoint signs on at most, in seconds: a week; a day unless a caller says otherwise. */
export const ENDPOINT_GRACE_SECONDS_MAX = 604_800
export const ENDPOINT_GRACE_SECONDS_DEFAULT = 86_400

/** The sealed secrets of an endpoint that sign at this time, the current one first. */
export const liveEndpointSecrets = (
  { retiring, sealedSecret }: AgentEndpoint,
  now: DateTime.Utc
): ReadonlyArray<string> =>
  retiring !== null && DateTime.isGreaterThan(retiring.expiresAt, now)
    ? [sealedSecret, retiring.sealed]
    : [sealedSecret]

/** The changes of an agent, as in `Agent.archived(agent, now)`. */
export const Agent = { archived, changed, created, overridden, withDefaults }
