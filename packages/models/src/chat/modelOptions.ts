/** How a model is asked, in the words of its provider's SDK. */
import type { ModelSettings, Run } from "@agent-platform/runs"
import type { LanguageModelV4CallOptions, LanguageModelV4ToolChoice, SharedV4ProviderOptions } from "@ai-sdk/provider"
import { isStrictSchema } from "./isStrictSchema.ts"
import { dialectOf, type ModelName } from "./ModelName.ts"
import { sdkOptionsOf } from "./providerOptions.ts"
import { bedrockReasoner, reasons } from "./reasoning.ts"

/** The options of a call that settings alone decide. How many tokens it may give back is not among them: caps decide that, too. */
export type ModelOptions = Pick<
  LanguageModelV4CallOptions,
  | "temperature"
  | "topP"
  | "topK"
  | "stopSequences"
  | "seed"
  | "reasoning"
  | "responseFormat"
  | "toolChoice"
  | "providerOptions"
>

/** The facts of a call beside its settings. */
export interface AboutCall {
  readonly hasTools: boolean
  /** Whether it is the model's first answer of the turn. */
  readonly isFirst: boolean
  readonly sessionId: Run["sessionId"]
}

/** A tool that must be called would be called for ever, so that only the first answer of a turn has to call for one. */
const toolChoiceOf = ({ toolChoice = "auto" }: ModelSettings, isFirst: boolean): LanguageModelV4ToolChoice => {
  if (toolChoice === "none") return { type: "none" }
  if (toolChoice === "auto" || !isFirst) return { type: "auto" }
  return toolChoice === "required" ? { type: "required" } : { type: "tool", toolName: toolChoice.name }
}

/** Nothing is kept at OpenAI, so its reasoning travels with us. */
const openaiOptions = (settings: ModelSettings, { hasTools, sessionId }: AboutCall) => ({
  store: false,
  ...(settings.promptCache === "off" ? {} : { promptCacheKey: sessionId }),
  // Models that the SDK does not know, such as deployments at Azure, would lose the effort without a word.
  ...(reasons(settings) ? { forceReasoning: true, reasoningSummary: "auto" } : {}),
  ...(hasTools && settings.parallelToolCalls !== undefined ? { parallelToolCalls: settings.parallelToolCalls } : {}),
  ...(settings.outputSchema === undefined ? {} : { strictJsonSchema: isStrictSchema(settings.outputSchema) })
})

const anthropicOptions = ({ parallelToolCalls }: ModelSettings, { hasTools }: AboutCall) =>
  hasTools && parallelToolCalls !== undefined ? { disableParallelToolUse: !parallelToolCalls } : {}

const googleOptions = (settings: ModelSettings) =>
  reasons(settings) ? { thinkingConfig: { includeThoughts: true } } : {}

/**
 * Claude at Bedrock has to be asked for summaries of its thinking. It cannot be made to call a tool while it thinks, so a result with a
 * schema is asked for as its output format. Models that think by default have to be told not to, which the SDK does not do.
 */
const bedrockOptions = (settings: ModelSettings, { model }: ModelName) => {
  if (bedrockReasoner(model) !== "claude" || settings.reasoningEffort === undefined) return {}
  return reasons(settings)
    ? { reasoningConfig: { display: "summarized" }, structuredOutputMode: "outputFormat" }
    : { additionalModelRequestFields: { thinking: { type: "disabled" } } }
}

const compatibleOptions = ({ outputSchema, parallelToolCalls }: ModelSettings, { hasTools }: AboutCall) => ({
  ...(hasTools && parallelToolCalls !== undefined ? { parallel_tool_calls: parallelToolCalls } : {}),
  ...(outputSchema === undefined ? {} : { strictJsonSchema: isStrictSchema(outputSchema) })
})

/** The options that one provider has, by the name of its SDK. `ofAgent`: those of the agent's settings, which replace ours. */
const ownOptions = (
  name: ModelName,
  settings: ModelSettings,
  about: AboutCall,
  ofAgent: SharedV4ProviderOptions[string]
): SharedV4ProviderOptions => {
  switch (dialectOf(name)) {
    case "openai":
      return { openai: { ...openaiOptions(settings, about), ...ofAgent } }
    case "anthropic":
      return { anthropic: { ...anthropicOptions(settings, about), ...ofAgent } }
    case "google":
      return { google: { ...googleOptions(settings), ...ofAgent } }
    case "bedrock":
      return { bedrock: bedrockOptions(settings, name) }
    case "openai_compatible":
      return { compatible: { ...compatibleOptions(settings, about), ...ofAgent } }
  }
}

/** The SDK for Bedrock knows no `max`, and sends it where `xhigh` is asked for. */
const effortAt = ({ provider }: ModelName, effort: NonNullable<ModelSettings["reasoningEffort"]>) =>
  provider === "bedrock" && effort === "max" ? "xhigh" : effort

type JsonFormat = Extract<LanguageModelV4CallOptions["responseFormat"], { readonly type: "json" }>

/** The options by which a model is asked. */
export const modelOptions = (name: ModelName, settings: ModelSettings, about: AboutCall): ModelOptions => {
  const { outputSchema, reasoningEffort, seed, stop, temperature, topP } = settings
  const { options, topK } = sdkOptionsOf(name, settings)
  // Agents' schemas are checked when they are set; the SDK has a type of its own for them.
  const schema = outputSchema as JsonFormat["schema"]
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
    ...(reasoningEffort === undefined ? {} : { reasoning: effortAt(name, reasoningEffort) }),
    ...(schema === undefined ? {} : { responseFormat: { type: "json" as const, name: "result", schema } }),
    ...(about.hasTools ? { toolChoice: toolChoiceOf(settings, about.isFirst) } : {}),
    providerOptions: ownOptions(name, settings, about, options)
  }
}
