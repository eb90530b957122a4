/** The settings that a provider's models do not take, as far as that is known before one is asked. */
import type { Provider } from "@agent-platform/keys"
import type { AgentFlaw, ModelSettings } from "@agent-platform/runs"
import { THINKING_CALL_TOKENS_MIN } from "./withinReserved.ts"

interface Rule {
  readonly providers: ReadonlyArray<Provider>
  readonly setting: AgentFlaw["path"][0]
  readonly isBroken: (settings: ModelSettings) => boolean
  /** The requirement that is not met, as the end of a sentence that begins with the setting. */
  readonly detail: string
}

const reasons = ({ reasoningEffort = "none" }: ModelSettings): boolean => reasoningEffort !== "none"

const RULES: ReadonlyArray<Rule> = [
  {
    providers: ["openai", "azure", "anthropic", "bedrock"],
    setting: "seed",
    isBroken: ({ seed }) => seed !== undefined,
    detail: "must be left out"
  },
  {
    providers: ["openai", "azure"],
    setting: "stop",
    isBroken: ({ stop }) => stop !== undefined,
    detail: "must be left out"
  },
  {
    providers: ["anthropic", "bedrock"],
    setting: "temperature",
    isBroken: ({ temperature = 0 }) => temperature > 1,
    detail: "must be at most 1"
  },
  {
    providers: ["anthropic"],
    setting: "topP",
    isBroken: ({ temperature, topP }) => topP !== undefined && temperature !== undefined,
    detail: "must be left out beside temperature"
  },
  {
    providers: ["anthropic"],
    setting: "maxOutputTokens",
    isBroken: (settings) =>
      reasons(settings) && (settings.maxOutputTokens ?? THINKING_CALL_TOKENS_MIN) < THINKING_CALL_TOKENS_MIN,
    detail: `must be at least ${THINKING_CALL_TOKENS_MIN} beside reasoning_effort`
  },
  {
    providers: ["bedrock"],
    setting: "reasoningEffort",
    isBroken: ({ reasoningEffort }) => reasoningEffort !== undefined,
    detail: "must be left out"
  },
  {
    providers: ["google", "vertex", "bedrock"],
    setting: "parallelToolCalls",
    isBroken: ({ parallelToolCalls }) => parallelToolCalls === false,
    detail: "must not be false"
  }
]

/** The first setting that the provider does not take; undefined where there is none. */
export const unsupportedBy = (provider: Provider, settings: ModelSettings): AgentFlaw | undefined => {
  const rule = RULES.find(({ isBroken, providers }) => providers.includes(provider) && isBroken(settings))
  return rule && { path: [rule.setting], detail: `${rule.detail}, for models of ${provider}` }
}
