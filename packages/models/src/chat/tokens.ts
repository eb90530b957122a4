import type { Usage } from "@agent-platform/runs"
import type { LanguageModelV4Usage } from "@ai-sdk/provider"

/** What a provider counted. */
export type CountedUsage = Omit<Usage, "requests">

/**
 * A provider's count in our words; undefined where it did not count. Input includes what was read from and written to a
 * cache, output includes reasoning.
 */
export const countedUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): CountedUsage | undefined =>
  inputTokens.total === undefined || outputTokens.total === undefined
    ? undefined
    : {
        inputTokens: inputTokens.total,
        cacheReadTokens: inputTokens.cacheRead ?? 0,
        cacheWriteTokens: inputTokens.cacheWrite ?? 0,
        outputTokens: outputTokens.total,
        reasoningTokens: outputTokens.reasoning ?? 0
      }

/** What a provider adds around a conversation, generously. */
const OVERHEAD_TOKENS = 256

/** Bytes of UTF-8 that make one token at least. Prose has 4, code 3, and the scripts of East Asia from 2 on. */
const BYTES_PER_TOKEN_MIN = 2

/** Most tokens that what is sent can count, for holding its cost back: two bytes a token, where there mostly are more. */
export const inputTokensMax = (...sent: ReadonlyArray<unknown>): number =>
  OVERHEAD_TOKENS + Math.ceil(new TextEncoder().encode(JSON.stringify(sent)).length / BYTES_PER_TOKEN_MIN)
