/** A call of an agent through the gateway, whatever the shape in which it came. */
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

/** Most messages of a call, most parts of one, and most tools. */
export const MESSAGES_MAX = 2_000
export const PARTS_MAX = 200
export const TOOLS_MAX = 128

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
  if (schema["type"] !== "object") unfit(at, 'must be the schema of an object, {"type": "object", …}')
  return schema as NonNullable<ModelSettings["outputSchema"]>
}

/** A setting that the provider is known not to take ends the reading. `members`: what each setting is called in the body. */
export const demandSupported = (
  { provider }: ModelName,
  settings: ModelSettings,
  members: Readonly<Record<string, string>>
): void => {
  const flaw = unsupportedBy(provider, settings) ?? optionFlawOf(settings)
  if (flaw === undefined) return
  const [setting, ...places] = flaw.path
  unfit(["", members[setting] ?? setting, ...places].join("/"), flaw.detail)
}
