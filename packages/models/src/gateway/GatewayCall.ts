/** A model call of an agent of one's own through the platform (the gateway), read from a body of Chat Completions or of Responses. */
import type { ModelSettings } from "@agent-platform/runs"
import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { MODEL_FORM, type ModelName, parseModelName } from "../chat/ModelName.ts"
import { optionFlawOf } from "../chat/providerOptions.ts"
import { unsupportedBy } from "../chat/unsupported.ts"
import { membersAt, textAt, unfit } from "./reading.ts"

export interface GatewayCall {
  readonly name: ModelName
  /** The model as the caller named it. */
  readonly model: string
  readonly prompt: LanguageModelV4Prompt
  readonly tools: ReadonlyArray<LanguageModelV4FunctionTool>
  readonly settings: ModelSettings
}

/** Most messages of a call, most parts of one and of all together, and most tools. */
export const MESSAGES_MAX = 2_000
export const PARTS_MAX = 200
const ALL_PARTS_MAX = 5_000
export const TOOLS_MAX = 128

/** Most KiB of JSON of all tools, of a result's schema, and of options. The SDKs of providers go through them several times. */
export const TOOLS_KIB_MAX = 512
const SCHEMA_KIB_MAX = 64
const OPTIONS_KIB_MAX = 16

/** Ends the reading, as `unfit` does, where a value is larger as JSON. */
export const demandSmall = (value: unknown, at: string, kibMax: number): void => {
  if (JSON.stringify(value).length > kibMax * 1024) unfit(at, `must be at most ${kibMax} KiB of JSON`)
}

/** The prompt, unless it has too many parts. */
export const boundedPrompt = (prompt: LanguageModelV4Prompt, at: string): LanguageModelV4Prompt => {
  const parts = prompt.reduce((sum, { content }) => sum + (typeof content === "string" ? 1 : content.length), 0)
  return parts <= ALL_PARTS_MAX ? prompt : unfit(at, `must have at most ${ALL_PARTS_MAX} parts in all`)
}

/** Options that one provider has. */
export const optionsOf = (given: unknown, at: string): ModelSettings["providerOptions"] => {
  demandSmall(given, at, OPTIONS_KIB_MAX)
  return membersAt(given, at) as ModelSettings["providerOptions"]
}

/** The model that a body names. */
export const modelOf = (model: string): ModelName => parseModelName(model) ?? unfit("/model", MODEL_FORM)

/** The tool in a function's description. */
export const toolOf = (given: unknown, at: string): LanguageModelV4FunctionTool => {
  const { description, name, parameters } = membersAt(given, at)
  const named = textAt(name, `${at}/name`)
  if (!/^[\w-]{1,64}$/.test(named)) unfit(`${at}/name`, "must have 1 to 64 letters, digits, _ and -")
  const schema = parameters === undefined || parameters === null ? undefined : membersAt(parameters, `${at}/parameters`)
  return {
    type: "function",
    name: named,
    ...(typeof description === "string" ? { description } : {}),
    inputSchema: (schema ?? { type: "object", properties: {} }) as LanguageModelV4FunctionTool["inputSchema"]
  }
}

/** The schema of a result, which is an object's in every interface. */
export const outputSchemaOf = (given: unknown, at: string): NonNullable<ModelSettings["outputSchema"]> => {
  const schema = membersAt(given, at)
  demandSmall(schema, at, SCHEMA_KIB_MAX)
  if (schema["type"] !== "object") unfit(at, 'must be the schema of an object, {"type": "object", …}')
  return schema as NonNullable<ModelSettings["outputSchema"]>
}

/** A setting that the provider is known not to take ends the reading. `members`: what each setting is called in the body. */
export const demandSupported = (
  name: ModelName,
  settings: ModelSettings,
  members: Readonly<Record<string, string>>
): void => {
  const flaw = unsupportedBy(name, settings) ?? optionFlawOf(settings)
  if (flaw === undefined) return
  const [setting, ...places] = flaw.path
  unfit(["", members[setting] ?? setting, ...places].join("/"), flaw.detail)
}
