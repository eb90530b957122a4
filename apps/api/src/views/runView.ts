/** Runs on the wire. */
import type { models, runs } from "@agent-platform/contract"
import { OVERRIDABLE, type Run } from "@agent-platform/runs"
import { type DateTime, String as Text } from "effect"
import { HttpServerResponse } from "effect/http"
import { canonicalUsd } from "./money.ts"

const iso = ({ epochMilliseconds }: DateTime.Utc): string => new Date(epochMilliseconds).toISOString()

const nullableIso = (time: DateTime.Utc | null): string | null => time && iso(time)

/** The time to live of a run. The run itself stores the moment of its end. */
const ttlSecondsOf = ({ createdAt, expiresAt, runAt }: Run): number | null =>
  expiresAt && Math.round((expiresAt.epochMilliseconds - (runAt ?? createdAt).epochMilliseconds) / 1_000)

/** The settings that a run has for itself, in the order in which the contract has them. */
const overridesView = (overrides: Run["overrides"]): typeof models.RunOverrides.Encoded | null =>
  overrides &&
  Object.fromEntries(
    OVERRIDABLE.flatMap((name) => (overrides[name] === undefined ? [] : [[Text.camelToSnake(name), overrides[name]]]))
  )

/**
 * A run as the contract's schema `RunView` would encode it. Encoding by the schema checks everything again, which took a third of
 * the time of a `GET run`.
 */
export const runView = (run: Run) =>
  ({
    run_id: run.id,
    session_id: run.sessionId,
    workspace_id: run.workspaceId,
    agent_id: run.agentId,
    recipe: run.recipe,
    status: run.status,
    paused: run.paused,
    message: run.message,
    interrupt: run.interrupt,
    interrupt_truncated: run.interruptTruncated,
    input: run.input,
    result: run.result,
    error: run.error,
    error_code: run.errorCode,
    finish_reason: run.finishReason,
    attempt: run.attempt,
    max_attempts: run.maxAttempts,
    trigger: { type: run.trigger.type, id: run.trigger.id },
    resumes_run_id: run.resumesRunId,
    resumed_by_run_id: run.resumedByRunId,
    created_at: iso(run.createdAt),
    started_at: nullableIso(run.startedAt),
    finished_at: nullableIso(run.finishedAt),
    cancel_requested_at: nullableIso(run.cancelRequestedAt),
    cost_usd: canonicalUsd(run.costUsd),
    usage: {
      requests: run.usage.requests,
      input_tokens: run.usage.inputTokens,
      cache_read_tokens: run.usage.cacheReadTokens,
      cache_write_tokens: run.usage.cacheWriteTokens,
      output_tokens: run.usage.outputTokens,
      reasoning_tokens: run.usage.reasoningTokens
    },
    metadata: run.metadata,
    tags: run.tags,
    agent_version: run.agentVersion,
    model: run.model,
    prompt: run.prompt,
    overrides: overridesView(run.overrides),
    run_at: nullableIso(run.runAt),
    ttl_seconds: ttlSecondsOf(run),
    priority: run.priority,
    max_duration_seconds: run.maxDurationSeconds,
    max_cost_usd: run.maxCostUsd === null ? null : canonicalUsd(run.maxCostUsd)
  }) satisfies typeof runs.RunView.Encoded

/** The response with this run as its body. */
export const runAnswer = (
  view: typeof runs.RunView.Encoded,
  { headers, status }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe(view, { status, headers })
