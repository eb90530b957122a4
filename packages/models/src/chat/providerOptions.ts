/** The options that only one provider has: what an agent may say of each, and how it is said to the provider's SDK. */
import { Provider } from "@agent-platform/keys"
import type { AgentFlaw, ModelSettings } from "@agent-platform/runs"
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider"
import { Predicate, Schema } from "effect"
import { dialectOf, type ModelName } from "./ModelName.ts"

type Options = Readonly<Record<string, Schema.Json>>

/** The form of a value, as the end of a sentence, and whether one has it. */
interface Form {
  readonly must: string
  readonly fits: (value: Schema.Json) => boolean
}

const oneOf = (...texts: ReadonlyArray<string>): Form => ({
  must: `must be one of ${texts.join(", ")}`,
  fits: (value) => typeof value === "string" && texts.includes(value)
})

const number = (minimum: number, maximum: number): Form => ({
  must: `must be a number from ${minimum} to ${maximum}`,
  fits: (value) => typeof value === "number" && value >= minimum && value <= maximum
})

const whole = (minimum: number, maximum: number): Form => ({
  must: `must be a whole number from ${minimum} to ${maximum}`,
  fits: (value) => Number.isSafeInteger(value) && number(minimum, maximum).fits(value)
})

const text = (lengthMax: number): Form => ({
  must: `must be a text of 1 to ${lengthMax} characters`,
  fits: (value) => typeof value === "string" && value.length > 0 && value.length <= lengthMax
})

const object: Form = { must: "must be an object", fits: Predicate.isObject }

const SettingName = Schema.String.check(Schema.isBetweenLength(1, 100))

const safetySettings: Form = {
  must: 'must be up to 10 objects such as {"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_ONLY_HIGH"}',
  fits: Schema.is(
    Schema.Array(Schema.Struct({ category: SettingName, threshold: SettingName })).check(Schema.isMaxLength(10))
  )
}

const OPENAI = {
  verbosity: oneOf("low", "medium", "high"),
  reasoning_summary: oneOf("auto", "concise", "detailed", "none"),
  truncation: oneOf("auto", "disabled"),
  safety_identifier: text(64),
  prompt_cache_retention: oneOf("in_memory", "24h")
}

const GOOGLE = { top_k: whole(1, 1_000), safety_settings: safetySettings }

/** By the provider, in the words of its own interface. What changes the price of tokens, such as tiers of service, is not among them. */
const FORMS: Readonly<Record<Provider, Readonly<Record<string, Form>>>> = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: { top_k: whole(1, 1_000), user_id: text(256) },
  google: GOOGLE,
  vertex: GOOGLE,
  bedrock: {},
  openai_compatible: {
    // vLLM and others take -1 for no bound.
    top_k: whole(-1, 1_000),
    min_p: number(0, 1),
    presence_penalty: number(-2, 2),
    frequency_penalty: number(-2, 2),
    repetition_penalty: number(0, 10),
    user: text(256),
    chat_template_kwargs: object
  }
}

/** The names of a provider's options. */
export const optionNames = (provider: Provider): ReadonlyArray<string> => Object.keys(FORMS[provider])

const isProvider = (name: string): name is Provider => (Provider.literals as ReadonlyArray<string>).includes(name)

const flawOfOption = (provider: Provider, name: string, value: Schema.Json): string | undefined => {
  const form = Object.hasOwn(FORMS[provider], name) ? FORMS[provider][name] : undefined
  if (form === undefined) return `must be one of the options of ${provider}: ${optionNames(provider).join(", ")}`
  return form.fits(value) ? undefined : form.must
}

/** The first option that no provider has, or that has another form; undefined where there is none. */
export const optionFlawOf = ({ providerOptions = {} }: ModelSettings): AgentFlaw | undefined => {
  for (const [provider, options] of Object.entries(providerOptions)) {
    const path = ["providerOptions", provider] as const
    if (!isProvider(provider)) return { path, detail: `must be one of the providers ${Provider.literals.join(", ")}` }
    for (const [name, value] of Object.entries(options)) {
      const detail = flawOfOption(provider, name, value)
      if (detail !== undefined) return { path: [...path, name], detail }
    }
  }
  return undefined
}

type CallPart = Pick<LanguageModelV4CallOptions, "topK"> & { readonly options: SharedV4ProviderOptions[string] }

const defined = (members: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined)
  ) as SharedV4ProviderOptions[string]

const topKOf = ({ top_k }: Options) => (typeof top_k === "number" ? { topK: top_k } : {})

/** The options of the provider that is asked, as its SDK takes them. */
export const sdkOptionsOf = (name: ModelName, { providerOptions = {} }: ModelSettings): CallPart => {
  const options: Options = providerOptions[name.provider] ?? {}
  switch (dialectOf(name)) {
    case "openai": {
      const { prompt_cache_retention, reasoning_summary, safety_identifier, truncation, verbosity } = options
      return {
        options: defined({
          textVerbosity: verbosity,
          reasoningSummary: reasoning_summary === "none" ? null : reasoning_summary,
          truncation,
          safetyIdentifier: safety_identifier,
          promptCacheRetention: prompt_cache_retention
        })
      }
    }
    case "anthropic": {
      const { user_id } = options
      return { ...topKOf(options), options: user_id === undefined ? {} : { metadata: { userId: user_id } } }
    }
    case "google":
      return { ...topKOf(options), options: defined({ safetySettings: options["safety_settings"] }) }
    case "bedrock":
      return { options: {} }
    case "openai_compatible":
      return { options: { ...options } }
  }
}
