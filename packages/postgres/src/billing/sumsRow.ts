import type { UsageSums } from "@agent-platform/billing"
import { readMoney } from "../money.ts"

/** Sums as a row has them; money as text. */
export interface SumsRow {
  readonly requests: bigint
  readonly unpriced_requests: bigint
  readonly input_tokens: bigint
  readonly cache_read_tokens: bigint
  readonly cache_write_tokens: bigint
  readonly output_tokens: bigint
  readonly reasoning_tokens: bigint
  readonly cost_usd: string
}

/** The sums in a row. */
export const readSums = (row: SumsRow): UsageSums => ({
  requests: Number(row.requests),
  unpricedRequests: Number(row.unpriced_requests),
  inputTokens: Number(row.input_tokens),
  cacheReadTokens: Number(row.cache_read_tokens),
  cacheWriteTokens: Number(row.cache_write_tokens),
  outputTokens: Number(row.output_tokens),
  reasoningTokens: Number(row.reasoning_tokens),
  costUsd: readMoney(row.cost_usd)
})

/** What `readSums` reads, summed up over roll-ups. */
export const SUMS_OF_ROLL_UPS = `sum(requests)::bigint as requests, sum(unpriced_requests)::bigint as unpriced_requests,
  sum(input_tokens)::bigint as input_tokens, sum(cache_read_tokens)::bigint as cache_read_tokens,
  sum(cache_write_tokens)::bigint as cache_write_tokens, sum(output_tokens)::bigint as output_tokens,
  sum(reasoning_tokens)::bigint as reasoning_tokens, sum(cost_usd)::text as cost_usd`

/** Sums as a member of the list that `jsonb_to_recordset` opens. */
export const fromSums = (sums: UsageSums) => ({
  requests: sums.requests,
  unpriced_requests: sums.unpricedRequests,
  input_tokens: sums.inputTokens,
  cache_read_tokens: sums.cacheReadTokens,
  cache_write_tokens: sums.cacheWriteTokens,
  output_tokens: sums.outputTokens,
  reasoning_tokens: sums.reasoningTokens,
  cost_usd: sums.costUsd
})
