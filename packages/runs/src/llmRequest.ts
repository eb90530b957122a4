import { DateTime, type Schema } from "effect"
import type { ModelCall, ModelCallEnd } from "./ports/SpendGuard.ts"

/**
 * The data of the log event `llm.request`: one settled model call. Tokens that the provider did not count are null;
 * their estimate is in the call's row of the ledger.
 */
export const llmRequestData = (
  { id, payer, provider, requestModel }: Pick<ModelCall, "id" | "provider" | "requestModel" | "payer">,
  end: ModelCallEnd,
  costUsd: string | null
): Readonly<Record<string, Schema.Json>> => ({
  request_id: id,
  provider,
  request_model: requestModel,
  response_model: end.responseModel,
  status: end.status,
  error_code: end.errorCode,
  finish_reason: end.finishReason,
  key_source: payer.source,
  key_id: payer.source === "byok" ? payer.keyId : null,
  started_at: DateTime.formatIso(end.startedAt),
  duration_ms: Math.round(end.durationMillis),
  time_to_first_token_ms: end.timeToFirstTokenMillis,
  input_tokens: end.usage?.inputTokens ?? null,
  cache_read_tokens: end.usage?.cacheReadTokens ?? null,
  cache_write_tokens: end.usage?.cacheWriteTokens ?? null,
  output_tokens: end.usage?.outputTokens ?? null,
  reasoning_tokens: end.usage?.reasoningTokens ?? null,
  usage_source: end.usage === undefined && end.sent ? "estimated" : "provider",
  cost_usd: costUsd
})
