/** The settings that a provider's models do not take, as far as that is known before one is asked. */
import type { AgentFlaw, ModelSettings } from "@agent-platform/runs"
import { dialectOf, type ModelName } from "./ModelName.ts"
import { type BedrockReasoner, bedrockReasoner, reasons, thinksWithin } from "./reasoning.ts"
import { THINKING_CALL_TOKENS_MIN } from "./withinReserved.ts"

interface Rule {
  /** For which models it holds. */
  readonly holds: (name: ModelName) => boolean
  readonly path: AgentFlaw["path"]
  readonly isBroken: (settings: ModelSettings, name: ModelName) => boolean
  /** The requirement that is not met, as the end of a sentence that begins with the setting. */
  readonly detail: string
}

const calledBy =
  (...dialects: ReadonlyArray<ReturnType<typeof dialectOf>>): Rule["holds"] =>
  (name) =>
    dialects.includes(dialectOf(name))

const atBedrock =
  (reasoner: BedrockReasoner | undefined): Rule["holds"] =>
  ({ model, provider }) =>
    provider === "bedrock" && bedrockReasoner(model) === reasoner

const isClaudeAtVertex: Rule["holds"] = (name) => name.provider === "vertex" && dialectOf(name) === "anthropic"

/** Efforts above which Nova takes no limit of tokens, so that no cap could be kept. */
const WITHOUT_LIMIT: ReadonlySet<ModelSettings["reasoningEffort"]> = new Set(["high", "xhigh", "max"])

const NOT_OF_GPT_OSS: ReadonlySet<ModelSettings["reasoningEffort"]> = new Set(["none", "xhigh", "max"])

const RULES: ReadonlyArray<Rule> = [
  {
    holds: calledBy("openai", "anthropic", "bedrock"),
    path: ["seed"],
    isBroken: ({ seed }) => seed !== undefined,
    detail: "must be left out"
  },
  {
    holds: calledBy("openai"),
    path: ["stop"],
    isBroken: ({ stop }) => stop !== undefined,
    detail: "must be left out"
  },
  {
    holds: calledBy("anthropic", "bedrock"),
    path: ["temperature"],
    isBroken: ({ temperature = 0 }) => temperature > 1,
    detail: "must be at most 1"
  },
  {
    holds: calledBy("anthropic"),
    path: ["topP"],
    isBroken: ({ temperature, topP }) => topP !== undefined && temperature !== undefined,
    detail: "must be left out beside temperature"
  },
  {
    holds: calledBy("anthropic", "bedrock"),
    path: ["maxOutputTokens"],
    isBroken: (settings, name) =>
      thinksWithin(name, settings) && (settings.maxOutputTokens ?? THINKING_CALL_TOKENS_MIN) < THINKING_CALL_TOKENS_MIN,
    detail: `must be at least ${THINKING_CALL_TOKENS_MIN} beside reasoning_effort`
  },
  {
    holds: atBedrock(undefined),
    path: ["reasoningEffort"],
    isBroken: reasons,
    detail: "must be left out or none for models that are not known to take it, which are Claude, Nova 2 and gpt-oss"
  },
  {
    holds: atBedrock("nova"),
    path: ["reasoningEffort"],
    isBroken: ({ reasoningEffort }) => WITHOUT_LIMIT.has(reasoningEffort),
    detail: "must be none, minimal, low or medium for Nova, which takes no max_output_tokens beside more"
  },
  {
    holds: atBedrock("gpt_oss"),
    path: ["reasoningEffort"],
    isBroken: ({ reasoningEffort }) => NOT_OF_GPT_OSS.has(reasoningEffort),
    detail: "must be minimal, low, medium or high for gpt-oss, which always reasons"
  },
  {
    holds: calledBy("google", "bedrock"),
    path: ["parallelToolCalls"],
    isBroken: ({ parallelToolCalls }) => parallelToolCalls === false,
    detail: "must not be false"
  },
  {
    holds: isClaudeAtVertex,
    path: ["outputSchema"],
    isBroken: (settings) => reasons(settings) && settings.outputSchema !== undefined,
    detail: "must be left out beside reasoning_effort for Claude, which takes no tool by force then"
  },
  {
    holds: isClaudeAtVertex,
    path: ["providerOptions", "vertex", "safety_settings"],
    isBroken: ({ providerOptions }) => providerOptions?.["vertex"]?.["safety_settings"] !== undefined,
    detail: "must be left out for Claude"
  }
]

/** The first setting that the model does not take; undefined where there is none. */
export const unsupportedBy = (name: ModelName, settings: ModelSettings): AgentFlaw | undefined => {
  const rule = RULES.find(({ holds, isBroken }) => holds(name) && isBroken(settings, name))
  return rule && { path: rule.path, detail: `${rule.detail}, for models of ${name.provider}` }
}
