import type { Schema } from "effect"
import type { ModelCall, ModelCallEnd } from "./ports/SpendGuard.ts"
import { NO_USAGE } from "./Run.ts"

/**
 * The data of the log event `llm.request`: one model call, settled. Tokens that the provider did not count are 0 there; what
 * they were taken for is in the call's row of the ledger.
 */
export const llmRequestData = (
  call: Pick<ModelCall, "id" | "provider" | "requestModel" | "payer">,
  end: ModelCallEnd,
  costUsd: string | null
): Readonly<Record<string, Schema.Json>> => {
  const { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens, reasoningTokens } = end.usage ?? NO_USAGE
  return {
    request_id: call.id,
    provider: call.provider,
    request_model: call.requestModel,
    response_model: end.responseModel,
    status: end.status,
    error_code: end.errorCode,
    finish_reason: end.finishReason,
    key_source: call.payer.source,
    duration_ms: Math.round(end.durationMillis),
    time_to_first_token_ms: end.timeToFirstTokenMillis,
    input_tokens: inputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
    reasoning_tokens: reasoningTokens,
    usage_source: end.usage === undefined && end.sent ? "estimated" : "provider",
    cost_usd: costUsd
  }
}
