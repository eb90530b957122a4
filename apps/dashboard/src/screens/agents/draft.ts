/** An agent as its form holds it: the usual settings in boxes, all others as JSON. */
import type { AgentChange, AgentVersion } from "@agent-platform/client"
import { givenJson, isObject } from "../../ui/givenJson.ts"

/** The settings that agents, their versions and their templates have. */
export type AgentSettings = Omit<AgentVersion, "agent_id" | "version" | "status" | "created_at">

export interface Draft {
  readonly name: string
  readonly description: string
  readonly recipe: string
  readonly model: string
  readonly instructions: string
  /** With commas between them. */
  readonly tools: string
  readonly maxCost: string
  /** Where the recipe http calls; empty for none. */
  readonly url: string
  /** An object of JSON. */
  readonly others: string
}

/** The settings without a box, and the value that each has where nothing was set. */
const OTHERS = {
  temperature: null,
  top_p: null,
  max_output_tokens: null,
  stop: null,
  seed: null,
  reasoning_effort: null,
  tool_choice: null,
  parallel_tool_calls: null,
  output_schema: null,
  provider_options: null,
  prompt_cache: null,
  function_tools: [],
  approvals: [],
  overridable: [],
  mcp_servers: [],
  recipes: [],
  input_schema: null
} as const satisfies Partial<Record<keyof AgentChange, unknown>>

/** Whether a setting has a value. */
export const isSet = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0)

/** The form of a new agent. */
export const NO_DRAFT: Draft = {
  name: "",
  description: "",
  recipe: "chat",
  model: "",
  instructions: "",
  tools: "",
  maxCost: "",
  url: "",
  others: "{}"
}

/** The settings as they are, in the form. */
export const draftOf = (agent: AgentSettings): Draft => ({
  name: agent.name,
  description: agent.description ?? "",
  recipe: agent.recipe,
  model: agent.model ?? "",
  instructions: agent.instructions ?? "",
  tools: agent.tools.join(", "),
  maxCost: agent.max_cost_usd ?? "",
  url: agent.endpoint?.url ?? "",
  others: JSON.stringify(
    Object.fromEntries(Object.entries(agent).filter(([name, value]) => name in OTHERS && isSet(value))),
    null,
    2
  )
})

const othersOf = (json: string): Readonly<Record<string, unknown>> => {
  const value = givenJson(json.trim() === "" ? "{}" : json)
  if (!isObject(value)) throw new Error("no object")
  return value
}

/** Whether the other settings can be read. */
export const isReadable = ({ others }: Draft): boolean => {
  try {
    othersOf(others)
    return true
  } catch {
    return false
  }
}

/** The members of the body that the other settings write: those that are known, and what else is written there. */
export const otherMembers = (draft: Draft): ReadonlyArray<string> => [
  ...new Set([...Object.keys(OTHERS), ...(isReadable(draft) ? Object.keys(othersOf(draft.others)) : [])])
]

/** MCP servers as the API takes them: `has_headers` is in its answers alone. */
const serversOf = (servers: unknown): unknown =>
  Array.isArray(servers)
    ? servers.map((server: unknown) => {
        if (typeof server !== "object" || server === null || !("has_headers" in server)) return server
        const { has_headers: _, ...sent } = server
        return sent
      })
    : servers

const orNull = (text: string): string | null => (text.trim() === "" ? null : text)

/** All settings of the form, as the API takes them. */
const allOf = (draft: Draft): Readonly<Record<string, unknown>> => {
  const others = { ...OTHERS, ...othersOf(draft.others) }
  return {
    ...others,
    mcp_servers: serversOf(others.mcp_servers),
    name: draft.name,
    description: orNull(draft.description),
    recipe: draft.recipe,
    model: orNull(draft.model),
    instructions: orNull(draft.instructions),
    tools: draft.tools.split(/[\s,]+/).filter((tool) => tool !== ""),
    max_cost_usd: orNull(draft.maxCost),
    endpoint: draft.url.trim() === "" ? null : { url: draft.url.trim() }
  }
}

/** The settings that differ, which are all that is sent. The server says which of them it does not know. */
export const settingsOf = (draft: Draft, before: Draft): AgentChange => {
  const old = allOf(before)
  return Object.fromEntries(
    Object.entries(allOf(draft)).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]))
  )
}
