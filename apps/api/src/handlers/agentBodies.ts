/** Converts bodies about agents into the domain's terms, and the domain's refusals into problems. */
import { Conflict, type agents as contract, type runs } from "@agent-platform/contract"
import {
  type AgentFlawed,
  type AgentUrlRefused,
  type AgentVersionConflict,
  type ContentPart,
  type Given,
  type GivenSettings,
  MODEL_SETTINGS,
  OVERRIDABLE,
  type RecipeUnknown,
  type RunOverrides
} from "@agent-platform/runs"
import { String as Text } from "effect"
import { invalid, urlNotPublic } from "../edge/problems.ts"
import { canonicalUsd } from "../views/money.ts"

type Body = (typeof contract.NewAgent)["Type"] | (typeof contract.AgentChange)["Type"]

/** The settings that a body names. Null takes a setting away; an absent member leaves it as it is. */
export const settingsOf = (body: Body): Partial<GivenSettings> => {
  const { maxCostUsd, ...others } = body
  const stated = Object.entries(others).filter(([, value]) => value !== undefined)
  const isOfModel = ([name]: (typeof stated)[number]) => (MODEL_SETTINGS as ReadonlyArray<string>).includes(name)
  const modelSettings = Object.fromEntries(stated.filter(isOfModel))
  const given = Object.fromEntries(stated.filter((one) => !isOfModel(one)))
  const cost = maxCostUsd === undefined ? {} : { maxCostUsd: maxCostUsd === null ? null : canonicalUsd(maxCostUsd) }
  return { ...given, ...cost, modelSettings }
}

/** The settings that the body of a run names for itself. */
export const overridesOf = (body: Given<RunOverrides>): Given<RunOverrides> =>
  Object.fromEntries(OVERRIDABLE.flatMap((name) => (body[name] == null ? [] : [[name, body[name]]])))

/** The content that the body of a run has beside its message. */
export const contentOf = ({
  content = []
}: Pick<(typeof runs.NewRun)["Type"], "content">): ReadonlyArray<ContentPart> =>
  content.map((part): ContentPart => {
    if (part.type === "text") return part
    const source = {
      ...(part.data === undefined
        ? { type: "url" as const, url: part.url ?? "" }
        : { type: "data" as const, data: part.data })
    }
    if (part.type === "image") return { type: "image", mediaType: part.mediaType ?? null, source }
    return { type: "file", mediaType: part.mediaType, filename: part.filename ?? null, source }
  })

const urlRefused = ({ detail, server }: AgentUrlRefused) =>
  urlNotPublic(server === null ? "/endpoint/url" : `/mcp_servers/${server}/url`, detail)

/** The agent is at another version than the one that the change was meant for. */
export const versionConflict = ({ version }: AgentVersionConflict) =>
  new Conflict({ code: "version_conflict", detail: `The agent is at version ${version}. Read it again` })

/** Where in a body a setting is, or what is inside of it. */
export const settingPointer = ([setting, ...places]: AgentFlawed["path"]): string =>
  [Text.camelToSnake(String(setting)), ...places]
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("")

/** Problems of an agent's settings. */
export const agentProblems = (body: Body) => ({
  AgentUrlRefused: urlRefused,
  EndpointMissing: () => invalid("/endpoint", "must name a URL, for the recipe http calls the agent there", "required"),
  AgentFlawed: ({ detail, path }: AgentFlawed) => invalid(settingPointer(path), detail),
  RecipeUnknown: ({ recipe }: RecipeUnknown) => {
    const place = body.recipes?.indexOf(recipe) ?? -1
    const pointer = recipe === body.recipe || place === -1 ? "/recipe" : `/recipes/${place}`
    return invalid(pointer, "must be a recipe that is registered here")
  }
})
