/** A span and figures for every model call, by OpenTelemetry's conventions for generative AI. */
import { Context, DateTime, Effect, Exit, Metric, Option } from "effect"
import type { CallOrigin, CallStatus } from "./LedgerEntry.ts"
import type { TokenUsage } from "./TokenUsage.ts"

/** The facts of a settled call for metrics and traces. */
export interface RecordedCall {
  readonly call: CallOrigin
  readonly status: CallStatus
  readonly errorCode: string | null
  readonly finishReason: string | null
  readonly responseModel: string | null
  readonly startedAt: DateTime.Utc
  readonly durationMillis: number
  readonly usage: TokenUsage
  readonly costUsd: string | null
  readonly reservedUsd: string | null
}

const powers = (first: number, factor: number, count: number) =>
  Array.from({ length: count }, (_, index) => first * factor ** index)

/** Tokens of a call, by `gen_ai.token.type`. */
export const tokenUsage = Metric.histogram("gen_ai.client.token.usage", {
  description: "Number of input and output tokens used",
  boundaries: powers(1, 4, 14)
})

/** Seconds that a call took. */
export const operationDuration = Metric.histogram("gen_ai.client.operation.duration", {
  description: "GenAI operation duration in seconds",
  boundaries: powers(0.01, 2, 14)
})

/** USD that calls cost. A float, for watching; only the ledger is exact. */
export const callCost = Metric.counter("agent_platform.model_call.cost", {
  description: "Cost of model calls in USD",
  incremental: true
})

/** USD by which calls cost more than was held back for them. */
export const costBeyond = Metric.counter("agent_platform.model_call.cost_beyond_reservation", {
  description: "Cost of model calls beyond what was held back for them, in USD",
  incremental: true
})

/** Calls whose price nobody knows. */
export const unpricedCalls = Metric.counter("agent_platform.model_call.unpriced", {
  description: "Model calls without a known price",
  incremental: true
})

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

/** Names of models are typed by callers: only those that answered or have a price become a series of their own. */
const labelsOf = ({ call, costUsd, status }: RecordedCall) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": call.provider,
  "gen_ai.request.model": status === "ok" || costUsd !== null ? call.requestModel : "_other"
})

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

/** Ends the span of a call, from when it began, and counts it. Done once a call, after it was settled. */
export const recordCall = Effect.fnUntraced(function* (recorded: RecordedCall) {
  const { costUsd, durationMillis, reservedUsd, usage } = recorded
  const labels = labelsOf(recorded)
  yield* recordSpan(recorded)
  const tokens = (type: "input" | "output") =>
    Metric.withAttributes(tokenUsage, { ...labels, "gen_ai.token.type": type })
  yield* Metric.update(tokens("input"), usage.inputTokens)
  yield* Metric.update(tokens("output"), usage.outputTokens)
  yield* Metric.update(Metric.withAttributes(operationDuration, labels), durationMillis / 1000)
  if (costUsd === null) return yield* Metric.update(Metric.withAttributes(unpricedCalls, labels), 1)
  yield* Metric.update(Metric.withAttributes(callCost, labels), Number(costUsd))
  const beyond = Number(costUsd) - Number(reservedUsd ?? costUsd)
  if (beyond > 0) yield* Metric.update(Metric.withAttributes(costBeyond, labels), beyond)
})
