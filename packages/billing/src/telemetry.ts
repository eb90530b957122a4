/** A span and figures for every model call, by OpenTelemetry's conventions for generative AI. */
import { RequestFailure } from "@agent-platform/kernel"
import { counter, histogram, makeBoundedLabel, measure } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, Exit, Option } from "effect"
import type { CallOrigin, CallOutcome, LedgerEntry } from "./LedgerEntry.ts"
import type { TokenUsage } from "./TokenUsage.ts"

/** The facts of a settled call for metrics and traces. */
export interface RecordedCall extends CallOutcome, Pick<LedgerEntry, "costUsd" | "reservedUsd"> {
  readonly call: CallOrigin
  readonly usage: TokenUsage
}

const powers = (first: number, factor: number, count: number) =>
  Array.from({ length: count }, (_, index) => first * factor ** index)

/** The labels of OpenTelemetry's metrics about models. */
const CONVENTIONAL = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"] as const

/** By OpenTelemetry's conventions, as Prometheus writes `gen_ai.client.token.usage`. */
export const tokenUsage = histogram(
  "gen_ai_client_token_usage",
  "Tokens of a model call (input, output).",
  [...CONVENTIONAL, "gen_ai_token_type"],
  powers(1, 4, 14)
)

/** By OpenTelemetry's conventions, as Prometheus writes `gen_ai.client.operation.duration`. */
export const operationDuration = histogram(
  "gen_ai_client_operation_duration_seconds",
  "How long model calls took, those that failed included.",
  CONVENTIONAL,
  powers(0.01, 2, 14)
)

export const modelCalls = counter(
  "agent_platform_model_calls_total",
  "Model calls by how they ended (ok, error, aborted), and by what went wrong.",
  ["provider", "model", "status", "error_type"]
)

export const modelTokens = counter(
  "agent_platform_model_tokens_total",
  "Tokens of model calls by kind; cache reads and writes are part of input, and reasoning is part of output.",
  ["provider", "model", "kind"]
)

/** A float, for monitoring; only the ledger is exact. */
export const callCost = counter("agent_platform_model_cost_usd_total", "Cost of model calls in USD.", [
  "provider",
  "model"
])

export const costBeyond = counter(
  "agent_platform_model_cost_beyond_reservation_usd_total",
  "USD by which model calls cost more than was held back for them.",
  ["provider", "model"]
)

export const unpricedCalls = counter(
  "agent_platform_model_calls_unpriced_total",
  "Model calls whose price nobody knows.",
  ["provider"]
)

/** All of them, for the documentation. */
export const MODEL_MEASURES = [
  tokenUsage,
  operationDuration,
  modelCalls,
  modelTokens,
  callCost,
  costBeyond,
  unpricedCalls
]

/** The attributes of a call's span, without any of its messages. */
export const spanAttributes = (recorded: RecordedCall): Readonly<Record<string, unknown>> => {
  const { call, costUsd, errorCode, finishReason, responseModel, status, usage } = recorded
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": call.provider,
    "gen_ai.request.model": call.requestModel,
    ...(responseModel === null ? {} : { "gen_ai.response.model": responseModel }),
    ...(finishReason === null ? {} : { "gen_ai.response.finish_reasons": [finishReason] }),
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
    ...(status === "ok" ? {} : { "error.type": errorCode ?? status }),
    "agent_platform.cost_usd": costUsd ?? "unpriced",
    "agent_platform.key_source": call.keySource,
    "agent_platform.run_id": call.runId,
    "agent_platform.workspace_id": call.workspaceId,
    "agent_platform.attempt": call.attempt
  }
}

/** Most models, and most providers, that have a label of their own. */
const MODELS_MAX = 100
const PROVIDERS_MAX = 20

const modelLabel = makeBoundedLabel(MODELS_MAX)
const providerLabel = makeBoundedLabel(PROVIDERS_MAX)

/**
 * Callers choose the names of models, and a server at a caller's own base URL accepts any name: only models that have a price get a
 * label of their own.
 */
const labelsOf = ({ call, costUsd }: RecordedCall) => ({
  provider: providerLabel(call.provider),
  model: costUsd === null ? "_other" : modelLabel(call.requestModel)
})

/** The error codes that have a label of their own, in addition to statuses. A server at a caller's own base URL can send any code. */
const ERROR_TYPES: ReadonlySet<string> = new Set([
  ...RequestFailure.literals,
  "stream_error",
  "stream_broken",
  "too_many_calls",
  "nested_too_deep",
  "event_too_large",
  "rate_limit_exceeded",
  "rate_limit_error",
  "insufficient_quota",
  "invalid_api_key",
  "authentication_error",
  "permission_error",
  "model_not_found",
  "not_found_error",
  "invalid_request_error",
  "overloaded_error",
  "api_error",
  "server_error",
  "RESOURCE_EXHAUSTED",
  "UNAVAILABLE"
])

const errorTypeOf = ({ errorCode, status }: RecordedCall): string => {
  if (status === "ok") return "none"
  const code = errorCode ?? status
  return code === status || ERROR_TYPES.has(code) || /^http_[45]\d\d$/.test(code) ? code : "_other"
}

const nanos = (at: DateTime.Utc, plusMillis = 0): bigint => BigInt(DateTime.toEpochMillis(at) + plusMillis) * 1_000_000n

const recordSpan = Effect.fnUntraced(function* (recorded: RecordedCall) {
  const tracer = yield* Effect.tracer
  const parent = yield* Effect.option(Effect.currentParentSpan)
  const { call, durationMillis, errorCode, startedAt, status } = recorded
  const span = tracer.span({
    name: `chat ${call.requestModel}`,
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: nanos(startedAt),
    kind: "client",
    root: Option.isNone(parent),
    sampled: true
  })
  for (const [name, value] of Object.entries(spanAttributes(recorded))) span.attribute(name, value)
  const exit = status === "ok" ? Exit.void : Exit.fail(errorCode ?? status)
  span.end(nanos(startedAt, Math.max(0, Math.round(durationMillis))), exit)
})

const TOKEN_KINDS = [
  ["input", "inputTokens"],
  ["output", "outputTokens"],
  ["cache_read", "cacheReadTokens"],
  ["cache_write", "cacheWriteTokens"],
  ["reasoning", "reasoningTokens"]
] as const

/** Records the span of a call, from its own beginning, and counts it in the metrics. Called once a call, after it was settled. */
export const recordCall = Effect.fnUntraced(function* (recorded: RecordedCall) {
  const { costUsd, durationMillis, reservedUsd, status, usage } = recorded
  yield* recordSpan(recorded)
  const labels = labelsOf(recorded)
  const conventional = {
    gen_ai_operation_name: "chat",
    gen_ai_provider_name: labels.provider,
    gen_ai_request_model: labels.model
  }
  yield* measure(tokenUsage, { ...conventional, gen_ai_token_type: "input" }, usage.inputTokens)
  yield* measure(tokenUsage, { ...conventional, gen_ai_token_type: "output" }, usage.outputTokens)
  yield* measure(operationDuration, conventional, Math.max(0, durationMillis) / 1000)
  yield* measure(modelCalls, { ...labels, status, error_type: errorTypeOf(recorded) }, 1)
  for (const [kind, member] of TOKEN_KINDS) yield* measure(modelTokens, { ...labels, kind }, usage[member])
  if (costUsd === null) return yield* measure(unpricedCalls, { provider: labels.provider }, 1)
  yield* measure(callCost, labels, Number(costUsd))
  const beyond = Number(costUsd) - Number(reservedUsd ?? costUsd)
  if (beyond > 0) yield* measure(costBeyond, labels, beyond)
})
