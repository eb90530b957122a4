/** Runs and their logs as plain values. */
import { isQuestionOpen, type RunEvent as LoggedEvent, type Run as StoredRun } from "@agent-platform/runs"
import { dateOf, maybeDate } from "../internal/dates.ts"
import { type Answer, answerOf } from "./recipes.ts"

/**
 * A `waiting` run has asked and waits for an answer; an `answered` one has got it, and goes on as the run `continuedBy`. `answered`,
 * `succeeded`, `failed` and `cancelled` are final.
 */
export type RunStatus = "queued" | "running" | "waiting" | "answered" | "succeeded" | "failed" | "cancelled"

/** One execution of a recipe. */
export interface Run {
  readonly id: string
  readonly tenant: string
  readonly recipe: string
  readonly status: RunStatus
  /** Its runs are executed one after the other: `trigger` puts another into it. */
  readonly session: string
  /** Null for a run that goes on with an answer. */
  readonly input: unknown
  /** The answer that the run goes on with; null for one that was triggered. */
  readonly answer: Answer | null
  readonly result: unknown
  /** The error that the function threw, or that kept it from ending; null without one. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** The question that it asks, or has asked. */
  readonly question: { readonly message: string; readonly details: unknown } | null
  /** The run that goes on with the answer. */
  readonly continuedBy: string | null
  /** The run whose question it goes on from. */
  readonly continues: string | null
  readonly attempt: number
  readonly maxAttempts: number
  readonly priority: number
  readonly tags: ReadonlyArray<string>
  readonly metadata: Readonly<Record<string, string>>
  readonly createdAt: Date
  readonly runAt: Date | null
  readonly expiresAt: Date | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

const statusOf = (run: StoredRun): RunStatus => {
  if (!run.paused) return run.status
  if (isQuestionOpen(run)) return "waiting"
  return run.resumedByRunId === null ? "cancelled" : "answered"
}

export const runOf = (tenant: string, run: StoredRun): Run => ({
  id: run.id,
  tenant,
  recipe: run.recipe,
  status: statusOf(run),
  session: run.sessionId,
  input: run.resumesRunId === null ? run.input : null,
  answer: run.resumesRunId === null ? null : answerOf(run),
  result: run.result,
  error: run.errorCode === null ? null : { code: run.errorCode, message: run.error ?? "" },
  question: run.paused ? { message: run.message ?? "", details: run.interrupt } : null,
  continuedBy: run.resumedByRunId,
  continues: run.resumesRunId,
  attempt: run.attempt,
  maxAttempts: run.maxAttempts,
  priority: run.priority,
  tags: [...run.tags],
  metadata: { ...run.metadata },
  createdAt: dateOf(run.createdAt),
  runAt: maybeDate(run.runAt),
  expiresAt: maybeDate(run.expiresAt),
  startedAt: maybeDate(run.startedAt),
  finishedAt: maybeDate(run.finishedAt)
})

/** One entry of a run's log. */
export interface RunEvent {
  /** From 1, without gaps: `after` of `events` goes on behind it. */
  readonly seq: number
  /** `log` for what the function has written; the others say how the run goes, as `run.started` and `run.succeeded` do. */
  readonly type: string
  readonly at: Date
  /** 0 before the first. */
  readonly attempt: number
  /** For a `log` its `message`, and its `data` where there is any. */
  readonly data: Readonly<Record<string, unknown>>
}

export const eventOf = ({ attempt, createdAt, data, seq, type }: LoggedEvent): RunEvent => ({
  seq,
  type,
  at: dateOf(createdAt),
  attempt,
  data: { ...data }
})
