/** Converts bodies about agents into the domain's terms, and the domain's refusals into problems. */
import { Conflict, type agents as contract } from "@agent-platform/contract"
import type {
  AgentFlawed,
  AgentUrlRefused,
  AgentVersionConflict,
  GivenSettings,
  RecipeUnknown
} from "@agent-platform/runs"
import { invalid, urlNotPublic } from "../edge/problems.ts"
import { canonicalUsd } from "../views/money.ts"

type Body = (typeof contract.NewAgent)["Type"] | (typeof contract.AgentChange)["Type"]

/** The settings that a body names; a member that is null is meant to be none. */
export const settingsOf = (body: Body): Partial<GivenSettings> => {
  const { maxCostUsd, ...others } = body
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
  const cost = maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd === null ? null : canonicalUsd(maxCostUsd) }
  return { ...given, ...cost }
}

const urlRefused = ({ detail, server }: AgentUrlRefused) =>
  urlNotPublic(server === null ? "/endpoint/url" : `/mcp_servers/${server}/url`, detail)

/** The agent is at another version than the one that the change was meant for. */
export const versionConflict = ({ version }: AgentVersionConflict) =>
  new Conflict({ code: "version_conflict", detail: `The agent is at version ${version}. Read it again` })

/** Where in a body a setting is, or what is inside of it. */
const pointerOf = ([setting, ...places]: AgentFlawed["path"]): string =>
  [setting === "inputSchema" ? "input_schema" : setting, ...places]
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")

/** Problems of an agent's settings. */
export const agentProblems = (body: Body) => ({
  AgentUrlRefused: urlRefused,
  EndpointMissing: () => invalid("/endpoint", "must name a URL, for the recipe http calls the agent there", "required"),
  AgentFlawed: ({ detail, path }: AgentFlawed) => invalid(pointerOf(path), detail),
  RecipeUnknown: ({ recipe }: RecipeUnknown) => {
    const place = body.recipes?.indexOf(recipe) ?? -1
    const pointer = recipe === body.recipe || place === -1 ? "/recipe" : `/recipes/${place}`
    return invalid(pointer, "must be a recipe that is registered here")
  }
})
