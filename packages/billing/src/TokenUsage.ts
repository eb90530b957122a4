/** The tokens of a model call, counted alike for every provider. */

/** Tokens of one call. `inputTokens` includes cache reads and writes, `outputTokens` includes reasoning. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
}

export const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0
}

/** Most tokens of a kind that one call is believed to have: far more than any model takes in or gives back. */
const TOKENS_MAX = 1_000_000_000

/** Whether a count is plausible: whole numbers from zero up to `TOKENS_MAX`, and no part larger than its whole. */
export const isPossible = (usage: TokenUsage): boolean => {
  const { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens, reasoningTokens } = usage
  const areCounts = [cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens, reasoningTokens].every(
    (tokens) => Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= TOKENS_MAX
  )
  return areCounts && cacheReadTokens + cacheWriteTokens <= inputTokens && reasoningTokens <= outputTokens
}
