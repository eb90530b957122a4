/**
 * A run: one asynchronous execution of an agent, and every change of its state as a pure function. Spec: Run.
 *
 * | From | To | By |
 * | --- | --- | --- |
 * | `queued` | `running` | `begun`: a worker claimed it |
 * | | `failed` | `expired`: its time to live was over |
 * | | `cancelled` | `cancelled` |
 * | `running` | `succeeded`, `failed` | `finished`: it ended of itself, on a question too |
 * | | `queued`, `failed` | `lost`: its worker is gone, and attempts remain or none does; or its agent has not called back |
 * | | `queued` | `handedBack`: its worker stops |
 * | | `cancelled` | `cancelled`; and `finished`, `lost` or `handedBack` of a run whose cancellation was asked for |
 *
 * `succeeded`, `failed` and `cancelled` are final. These functions do not check the state that a change starts from. The store does:
 * it writes a change only where the run is queued and unclaimed, or running under the writer's claim.
 */
import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { BigDecimal, DateTime, Record, Schema } from "effect"
import type { Agent, AgentId } from "./Agent.ts"
import type { RunOverrides } from "./ModelSettings.ts"
import type { SessionId } from "./Session.ts"
import { storableText } from "./storable.ts"

export const RunId = Uuid.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** `succeeded`, `failed` and `cancelled` are final. A run that ended on a question is `succeeded` and paused. */
export const RunStatus = Schema.Literals(["queued", "running", "succeeded", "failed", "cancelled"])
export type RunStatus = typeof RunStatus.Type

/** Why a run failed. */
export const RunErrorCode = Schema.Literals([
  "agent_error",
  "invalid_input",
  "timed_out",
  "expired",
  "worker_lost",
  "provider_error",
  "provider_rate_limited",
  "credential_invalid",
  "provider_key_missing",
  "model_unpriced",
  "cap_reached",
  "call_exceeds_cap",
  "output_too_large",
  "internal_error"
])
export type RunErrorCode = typeof RunErrorCode.Type

/** The codes of failures whose texts may name a provider or a model. The API hides these texts from callers who see no costs. */
export const PROVIDER_ERROR_CODES: ReadonlyArray<RunErrorCode> = [
  "provider_error",
  "provider_rate_limited",
  "provider_key_missing",
  "credential_invalid"
]

/** Why a model's answer ended: it had said all, reached its limit of tokens, called for tools, was held back, or otherwise. */
export const FinishReason = Schema.Literals(["stop", "length", "tool_calls", "content_filter", "other"])
export type FinishReason = typeof FinishReason.Type

/** The origin of a run; `id` names the message, hook or schedule, and is null for a call of the API. */
export const RunTrigger = Schema.Struct({
  type: Schema.Literals(["api", "message", "webhook", "schedule"]).annotateKey({ description: "The kind of trigger" }),
  id: Schema.NullOr(Schema.String).annotateKey({
    description: "The message, the hook or the schedule; null for a call of the API"
  })
})
export type RunTrigger = typeof RunTrigger.Type

/** Most bytes of JSON of a run's input, of its result and of its message. */
export const INPUT_BYTES_MAX = 256 * 1024
export const RESULT_BYTES_MAX = 256 * 1024
/** Most bytes of JSON of an interrupt's payload; a larger one is dropped and the run says so. */
export const INTERRUPT_BYTES_MAX = 32 * 1024
/** Longest error text that is kept, in characters. */
export const ERROR_LENGTH_MAX = 500
/** A run lasts at most this long, and an hour by default. */
export const DURATION_SECONDS_MAX = 86_400
export const DURATION_SECONDS_DEFAULT = 3_600

/** The sum over the model calls of a run. `inputTokens` includes cache reads and writes, `outputTokens` reasoning. */
export type Usage = Readonly<typeof NO_USAGE>

export const NO_USAGE = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0
}

export interface Run {
  readonly id: RunId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly sessionId: SessionId
  readonly agentId: AgentId
  /** The agent's version and the model when the last attempt began; null before, and where it has no model. */
  readonly agentVersion: number | null
  readonly model: string | null
  readonly recipe: string
  readonly status: RunStatus
  readonly paused: boolean
  /** The caller's message to the agent. */
  readonly prompt: string | null
  readonly input: Schema.Json
  /** The settings that it has in the place of its agent's; null for none. */
  readonly overrides: RunOverrides | null
  /** The agent's last message: on a paused run, the question. */
  readonly message: string | null
  readonly interrupt: Schema.JsonObject | null
  readonly interruptTruncated: boolean
  readonly result: Schema.Json
  readonly error: string | null
  readonly errorCode: RunErrorCode | null
  /** Why the last answer of its model ended; null for an agent without a model, and while there is none. */
  readonly finishReason: FinishReason | null
  /** How often its execution has begun. No two executions have the same number, so it names one. */
  readonly attempt: number
  /** How many of these executions a stopping worker has handed back: they do not count against `maxAttempts`. */
  readonly handBacks: number
  readonly maxAttempts: number
  readonly maxDurationSeconds: number
  /** The most that it may cost in all of its attempts, in USD: the lower of its own cap and its agent's; null for neither. */
  readonly maxCostUsd: string | null
  /** Of the workspace's runs that are due, a higher priority goes first. */
  readonly priority: number
  readonly trigger: RunTrigger
  /** The run whose question this one answers. */
  readonly resumesRunId: RunId | null
  /** The run that answered this one's question. */
  readonly resumedByRunId: RunId | null
  /** When this run's open question was cancelled together with its session. */
  readonly questionCancelledAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  /** Not executed before this time. */
  readonly runAt: DateTime.Utc | null
  /** Failed as `expired` if its execution has not begun by this time. */
  readonly expiresAt: DateTime.Utc | null
  readonly startedAt: DateTime.Utc | null
  /** Its agent works without a worker, and calls back by then; null while it does not. */
  readonly callbackUntil: DateTime.Utc | null
  readonly finishedAt: DateTime.Utc | null
  readonly cancelRequestedAt: DateTime.Utc | null
  readonly costUsd: string
  readonly usage: Usage
  readonly metadata: { readonly [name: string]: string }
  readonly tags: ReadonlyArray<string>
  /** The `traceparent` of the request that triggered it, where that is recorded. Never shown. */
  readonly trace: string | null
}

/** No such run in the caller's workspace. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", {}) {}

/** The run's input does not have the form that its agent asks for; `detail` says how it differs, `path` where. */
export class InputSchemaMismatch extends Schema.TaggedError<InputSchemaMismatch>()("InputSchemaMismatch", {
  path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
  detail: Schema.String
}) {}

/** The workspace has as many queued runs as it may. */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", { limit: Schema.Int }) {}

/** The workspace is being erased. */
export class WorkspaceClosed extends Schema.TaggedError<WorkspaceClosed>()("WorkspaceClosed", {}) {}

/** The workspace has spent what it may spend this month, or a call was refused for that. */
export class CapReached extends Schema.TaggedError<CapReached>()("CapReached", {}) {}

/** The outcome of one turn that a recipe executed. Recipes that ask a model say why its last answer ended. */
export type TurnOutcome =
  | {
      readonly _tag: "Succeeded"
      readonly result: Schema.Json
      readonly message: string | null
      readonly finishReason?: FinishReason | undefined
    }
  | {
      readonly _tag: "Paused"
      readonly message: string
      readonly interrupt: Schema.Json
      readonly finishReason?: FinishReason | undefined
    }
  | { readonly _tag: "Failed"; readonly errorCode: RunErrorCode; readonly error: string }
  /** There is none yet: the agent works by itself, and calls back within so many seconds, or the run times out. */
  | AwaitsCallback

export interface AwaitsCallback {
  readonly _tag: "AwaitsCallback"
  readonly seconds: number
}

/** The outcome of a turn that has come to its end. */
export type TurnEnd = Exclude<TurnOutcome, AwaitsCallback>

/** The outcome of a turn that fails. */
export const failedTurn = (errorCode: RunErrorCode, error: string): TurnEnd => ({
  _tag: "Failed",
  errorCode,
  error
})

/** Whether the run has ended for good. */
export const isTerminal = (run: Run): boolean => run.status !== "queued" && run.status !== "running"

/** The fields by which a run ends of itself: bounded, and ready to be written. Made by `endingOf`. */
export type Ending = Partial<
  Pick<
    Run,
    "paused" | "message" | "interrupt" | "interruptTruncated" | "result" | "error" | "errorCode" | "finishReason"
  >
> & { readonly status: "succeeded" | "failed" }

/** The clocks of several machines differ; no run ends before it began. */
const endOf = (run: Run, now: DateTime.Utc): DateTime.Utc => DateTime.max(now, run.startedAt ?? run.createdAt)

/** The lower of two caps in USD; null is none. */
export const lowerCap = (one: string | null, other: string | null): string | null => {
  if (one === null || other === null) return one ?? other
  return BigDecimal.isLessThan(BigDecimal.fromStringUnsafe(one), BigDecimal.fromStringUnsafe(other)) ? one : other
}

/** The run as a worker begins to execute it. */
const begun = (run: Run, now: DateTime.Utc, agent: Pick<Agent, "model" | "version">): Run => ({
  ...run,
  agentVersion: agent.version,
  model: run.overrides?.model ?? agent.model,
  status: "running",
  attempt: run.attempt + 1,
  startedAt: run.startedAt ?? now
})

/** How a run ends that fails. */
export const failure = (errorCode: RunErrorCode, error: string): Ending => ({
  status: "failed",
  errorCode,
  error: storableText(error.slice(0, ERROR_LENGTH_MAX))
})

const ended = (run: Run, ending: Ending, now: DateTime.Utc): Run => ({
  ...run,
  ...ending,
  callbackUntil: null,
  finishedAt: endOf(run, now)
})

/** The run as it fails. */
const failed = (run: Run, errorCode: RunErrorCode, error: string, now: DateTime.Utc): Run =>
  ended(run, failure(errorCode, error), now)

/** The queued run whose time to live is over. */
const expired = (run: Run, now: DateTime.Utc): Run =>
  failed(run, "expired", "The run did not begin before its time to live was over", now)

/** The running run whose cancellation was asked for. Asking again does not move the time. */
const cancelRequested = (run: Run, now: DateTime.Utc): Run => ({
  ...run,
  cancelRequestedAt: run.cancelRequestedAt ?? now
})

/** The run as it is cancelled; what it cost until then stays. */
const cancelled = (run: Run, now: DateTime.Utc): Run => ({
  ...run,
  status: "cancelled",
  callbackUntil: null,
  finishedAt: endOf(run, now)
})

/** `cancelled` for a run whose cancellation was asked for, whatever it came to; else `becomes`. */
const unlessCancelled = (run: Run, now: DateTime.Utc, becomes: () => Run): Run =>
  run.cancelRequestedAt === null ? becomes() : cancelled(run, now)

/** The run as it ends of itself. */
const finished = (run: Run, ending: Ending, now: DateTime.Utc): Run =>
  unlessCancelled(run, now, () => ended(run, ending, now))

/** The run whose claim has lapsed: its worker is gone, or its agent has not called back. Queued again while attempts remain, else failed. */
const lost = (run: Run, now: DateTime.Utc): Run =>
  unlessCancelled(run, now, () => {
    if (run.callbackUntil !== null) return failed(run, "timed_out", "The agent has not called back in time", now)
    return run.attempt - run.handBacks < run.maxAttempts
      ? { ...run, status: "queued" }
      : failed(run, "worker_lost", "The worker that executed the run was lost", now)
  })

/** The run handed back by a worker that stops: queued again, for another attempt that does not count against `maxAttempts`. */
const handedBack = (run: Run, now: DateTime.Utc): Run =>
  unlessCancelled(run, now, () => ({ ...run, status: "queued", handBacks: run.handBacks + 1 }))

/** Whether the run ended on a question that nobody has answered and nobody has cancelled. */
export const isQuestionOpen = (run: Run): boolean =>
  run.paused && run.resumedByRunId === null && run.questionCancelledAt === null

/** An amount in USD as it is shown: a decimal with two places at least, and no zeros behind these. */
export const plainUsd = (amount: string | BigDecimal.BigDecimal): string => {
  const decimal = typeof amount === "string" ? BigDecimal.fromStringUnsafe(amount) : amount
  const [whole = "0", decimals = ""] = BigDecimal.format(decimal).split(".")
  return `${whole}.${decimals.padEnd(2, "0")}`
}

/** The run with one more model call of these tokens; a cost that nobody knows adds nothing to the sum. */
const used = (run: Run, usage: Omit<Usage, "requests">, costUsd: string | null): Run => {
  const sum = BigDecimal.sum(BigDecimal.fromStringUnsafe(run.costUsd), BigDecimal.fromStringUnsafe(costUsd ?? "0"))
  const added: Usage = { ...usage, requests: 1 }
  return {
    ...run,
    costUsd: plainUsd(sum),
    usage: Record.map(run.usage, (before, kind) => before + added[kind])
  }
}

/** The changes of a run's state, as in `Run.cancelled(run, now)`. */
export const Run = { begun, cancelled, cancelRequested, expired, failed, finished, handedBack, lost, used }
