/** What a model call took in and gave back, counted alike for every provider. */

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
