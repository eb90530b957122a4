import { normaliseUsage } from "@agent-platform/billing"
import type { Provider } from "@agent-platform/keys"
import type { Usage } from "@agent-platform/runs"
import type { LanguageModelV4Usage } from "@ai-sdk/provider"

/** The provider's count. */
export type CountedUsage = Omit<Usage, "requests">

/** Most tokens of a kind that one call is believed to have: far more than any model takes in or gives back. */
const TOKENS_MAX = 1_000_000_000

const isCount = (tokens: number | undefined): tokens is number =>
  Number.isSafeInteger(tokens) && tokens !== undefined && tokens >= 0 && tokens <= TOKENS_MAX

const partOf = (whole: number, part: number | undefined): number => (isCount(part) ? Math.min(part, whole) : 0)

/**
 * A provider's count in our words; undefined where it did not count, or says what cannot be. Input includes what was read from
 * and written to a cache, output includes reasoning.
 */
export const countedUsage = (provider: Provider, usage: LanguageModelV4Usage): CountedUsage | undefined => {
  const { inputTokens, outputTokens } = usage
  const [input, output] = [inputTokens.total, outputTokens.total]
  if (!isCount(input) || !isCount(output)) return undefined
  // Its SDK knows one way to count; compatible servers have several.
  if (provider === "openai_compatible") return normaliseUsage(provider, usage.raw)
  const cacheReadTokens = partOf(input, inputTokens.cacheRead)
  return {
    inputTokens: input,
    cacheReadTokens,
    cacheWriteTokens: partOf(input - cacheReadTokens, inputTokens.cacheWrite),
    outputTokens: output,
    reasoningTokens: partOf(output, outputTokens.reasoning)
  }
}

/** The tokens that a provider adds around a conversation, generously. */
const OVERHEAD_TOKENS = 256

/** Bytes of UTF-8 that make one token at least. Prose has 4, code 3, and the scripts of East Asia from 2 on. */
const BYTES_PER_TOKEN_MIN = 2

/** The most input tokens of a request, for the reservation of its cost: at two bytes a token, though most have more. */
export const inputTokensMax = (...sent: ReadonlyArray<unknown>): number =>
  OVERHEAD_TOKENS + Math.ceil(new TextEncoder().encode(JSON.stringify(sent)).length / BYTES_PER_TOKEN_MIN)
