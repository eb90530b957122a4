/** The settings of agents that the recipe `chat` cannot work with. */
import type { AgentFlaw, RecipeSettings } from "@agent-platform/runs"
import { BUILT_IN_TOOLS } from "../tools/agentTools.ts"
import { MODEL_FORM, parseModelName } from "./ModelName.ts"
import { optionFlawOf } from "./providerOptions.ts"
import { unsupportedBy } from "./unsupported.ts"

const unknownTool = ({ tools }: RecipeSettings): AgentFlaw | undefined => {
  const place = tools.findIndex((tool) => !BUILT_IN_TOOLS.includes(tool))
  if (place === -1) return undefined
  return { path: ["tools", place], detail: `must be one of ${BUILT_IN_TOOLS.join(", ")}, which the recipe chat has` }
}

const takenName = ({ functionTools }: RecipeSettings): AgentFlaw | undefined => {
  const place = functionTools.findIndex(({ name }) => BUILT_IN_TOOLS.includes(name))
  if (place === -1) return undefined
  const detail = `must not be one of ${BUILT_IN_TOOLS.join(", ")}, which the recipe chat has itself`
  return { path: ["functionTools", place, "name"], detail }
}

/** The names of the tools of servers are known only once these are asked. */
const choiceOfNothing = (settings: RecipeSettings): AgentFlaw | undefined => {
  const { functionTools, mcpServers, modelSettings, tools } = settings
  const { toolChoice = "auto" } = modelSettings
  if (toolChoice === "auto" || toolChoice === "none" || mcpServers.length > 0) return undefined
  const names = [...tools, ...functionTools.map(({ name }) => name)]
  if (names.length === 0) return { path: ["toolChoice"], detail: "must be auto or none where the agent has no tools" }
  if (toolChoice === "required" || names.includes(toolChoice.name)) return undefined
  return { path: ["toolChoice", "name"], detail: `must be one of the agent's tools: ${names.join(", ")}` }
}

/** Arguments are always an object, and providers refuse the schema of anything else. */
const formOfArguments = ({ functionTools }: RecipeSettings): AgentFlaw | undefined => {
  const place = functionTools.findIndex(({ parameters }) => parameters["type"] !== "object")
  if (place === -1) return undefined
  const detail = 'must be the schema of an object, `{"type": "object", …}`, for the recipe chat'
  return { path: ["functionTools", place, "parameters"], detail }
}

const formOfResult = ({ modelSettings: { outputSchema } }: RecipeSettings): AgentFlaw | undefined =>
  outputSchema === undefined || outputSchema["type"] === "object"
    ? undefined
    : {
        path: ["outputSchema"],
        detail: 'must be the schema of an object, `{"type": "object", …}`, for the recipe chat'
      }

/** The reason why the recipe cannot execute an agent of these settings; undefined where it can. */
export const chatFlawOf = (settings: RecipeSettings): AgentFlaw | undefined => {
  const name = parseModelName(settings.model)
  if (name === undefined) return { path: ["model"], detail: `${MODEL_FORM}, for the recipe chat` }
  const { modelSettings } = settings
  return (
    unknownTool(settings) ??
    takenName(settings) ??
    formOfArguments(settings) ??
    choiceOfNothing(settings) ??
    formOfResult(settings) ??
    unsupportedBy(name, modelSettings) ??
    optionFlawOf(modelSettings)
  )
}
