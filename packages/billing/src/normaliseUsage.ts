/** The usage that providers report of a call, counted alike for all of them. */
import type { TokenUsage } from "./TokenUsage.ts"

/** The shapes in which usage comes. Other providers that speak OpenAI's protocol are `openai_compatible`. */
export type UsageDialect = "openai" | "anthropic" | "google" | "openai_compatible"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const within = (body: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((value, name) => (isFields(value) ? value[name] : undefined), body)

/** A count of tokens; undefined for any value but a whole number from 0 on. */
const tokens = (fields: unknown, ...path: ReadonlyArray<string>): number | undefined => {
  const value = within(fields, path)
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

const atMost = (value: number | undefined, limit: number): number => Math.min(value ?? 0, limit)

const usageOf = (counted: {
  readonly input: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly output: number | undefined
  readonly reasoning?: number | undefined
}): TokenUsage | undefined => {
  const { input, output } = counted
  if (input === undefined && output === undefined) return undefined
  const [inputTokens, outputTokens] = [input ?? 0, output ?? 0]
  const cacheReadTokens = atMost(counted.cacheRead, inputTokens)
  return {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens: atMost(counted.cacheWrite, inputTokens - cacheReadTokens),
    outputTokens,
    reasoningTokens: atMost(counted.reasoning, outputTokens)
  }
}

/** OpenAI's two protocols: chat completions and responses. Input includes cached tokens, output includes reasoning. */
const fromOpenAi = (usage: Fields): TokenUsage | undefined =>
  usageOf({
    input: tokens(usage, "prompt_tokens") ?? tokens(usage, "input_tokens"),
    cacheRead:
      tokens(usage, "prompt_tokens_details", "cached_tokens") ?? tokens(usage, "input_tokens_details", "cached_tokens"),
    output: tokens(usage, "completion_tokens") ?? tokens(usage, "output_tokens"),
    reasoning:
      tokens(usage, "completion_tokens_details", "reasoning_tokens") ??
      tokens(usage, "output_tokens_details", "reasoning_tokens")
  })

/**
 * Other providers that speak chat completions. Some name the cache in their own way, and some do not count reasoning as part of the
 * completion, which shows where their total is the sum of the three.
 */
const fromCompatible = (usage: Fields): TokenUsage | undefined => {
  const plain = fromOpenAi(usage)
  if (plain === undefined) return undefined
  const { inputTokens, outputTokens } = plain
  const reasoning =
    tokens(usage, "completion_tokens_details", "reasoning_tokens") ?? tokens(usage, "reasoning_tokens") ?? 0
  const isApart = reasoning > 0 && tokens(usage, "total_tokens") === inputTokens + outputTokens + reasoning
  return usageOf({
    input: inputTokens,
    cacheRead:
      tokens(usage, "prompt_tokens_details", "cached_tokens") ??
      tokens(usage, "prompt_cache_hit_tokens") ??
      tokens(usage, "cached_tokens"),
    output: isApart ? outputTokens + reasoning : outputTokens,
    reasoning
  })
}

/** Anthropic counts the tokens of the cache apart from the input; here they count as part of it. */
const fromAnthropic = (usage: Fields): TokenUsage | undefined => {
  const [fresh, output] = [tokens(usage, "input_tokens"), tokens(usage, "output_tokens")]
  const cacheRead = tokens(usage, "cache_read_input_tokens") ?? 0
  const cacheWrite = tokens(usage, "cache_creation_input_tokens") ?? 0
  const input = fresh === undefined ? undefined : fresh + cacheRead + cacheWrite
  return usageOf({ input, cacheRead, cacheWrite, output })
}

/** Google counts thoughts apart from the candidates, and the results of its own tools apart from the prompt. */
const fromGoogle = (usage: Fields): TokenUsage | undefined => {
  const [prompt, candidates] = [tokens(usage, "promptTokenCount"), tokens(usage, "candidatesTokenCount")]
  if (prompt === undefined && candidates === undefined) return undefined
  const thoughts = tokens(usage, "thoughtsTokenCount") ?? 0
  return usageOf({
    input: (prompt ?? 0) + (tokens(usage, "toolUsePromptTokenCount") ?? 0),
    cacheRead: tokens(usage, "cachedContentTokenCount"),
    output: (candidates ?? 0) + thoughts,
    reasoning: thoughts
  })
}

const DIALECTS: Readonly<Record<UsageDialect, (usage: Fields) => TokenUsage | undefined>> = {
  openai: fromOpenAi,
  openai_compatible: fromCompatible,
  anthropic: fromAnthropic,
  google: fromGoogle
}

/**
 * The usage in a provider's own usage object; undefined when that says nothing about tokens. Parts never exceed their whole.
 */
export const normaliseUsage = (dialect: UsageDialect, usage: unknown): TokenUsage | undefined =>
  isFields(usage) ? DIALECTS[dialect](usage) : undefined

/** The paths of usage objects in bodies and in events of streams. */
const PLACES: Readonly<Record<UsageDialect, ReadonlyArray<ReadonlyArray<string>>>> = {
  openai: [["usage"], ["response", "usage"]],
  openai_compatible: [["usage"], ["x_groq", "usage"]],
  anthropic: [["message", "usage"], ["usage"]],
  google: [["usageMetadata"]]
}

/**
 * The usage in a provider's answer: a whole body, or the events of a stream in order. Later events of a stream correct earlier
 * ones field by field, for they count from the beginning. Undefined when none says anything, as in a stream that was cut.
 */
export const usageOfAnswer = (dialect: UsageDialect, answer: unknown): TokenUsage | undefined => {
  const found = (Array.isArray(answer) ? answer : [answer]).flatMap((event) =>
    PLACES[dialect].map((path) => within(event, path)).filter(isFields)
  )
  const said = found.map((usage) => Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)))
  return said.length === 0 ? undefined : normaliseUsage(dialect, Object.assign({}, ...said))
}
