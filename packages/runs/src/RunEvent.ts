/** The entries of a run's log: one sequence per run, the same while it runs and afterwards. */
import { type DateTime, Schema } from "effect"
import type { Run, RunId } from "./Run.ts"
import type { SessionId } from "./Session.ts"
import { storableRecord } from "./storable.ts"
import { jsonBytes } from "./utf8.ts"

/** The kinds of log events; those that end a run come last. */
export const RunEventType = Schema.Literals([
  "run.queued",
  "run.started",
  "run.retrying",
  "message.delta",
  "message.completed",
  "reasoning.delta",
  "reasoning.completed",
  "tool.started",
  "tool.completed",
  "llm.request",
  "interrupt.requested",
  "message.received",
  "cancel.requested",
  "log",
  "run.succeeded",
  "run.paused",
  "run.failed",
  "run.cancelled"
])
export type RunEventType = typeof RunEventType.Type

/** One event of a run's log. `seq` starts at 1 and has no gaps. */
export interface RunEvent {
  readonly runId: RunId
  readonly sessionId: SessionId
  readonly seq: number
  readonly type: RunEventType
  readonly createdAt: DateTime.Utc
  /** The attempt it belongs to; 0 before the first. */
  readonly attempt: number
  readonly data: Readonly<Record<string, Schema.Json>>
}

/** An event that has not got its place in the sequence yet. */
export type NewRunEvent = Pick<RunEvent, "type" | "createdAt" | "attempt" | "data">

/** Whether nothing can follow an event of this kind. */
export const endsLog = (type: RunEventType): boolean =>
  type === "run.succeeded" || type === "run.paused" || type === "run.failed" || type === "run.cancelled"

/** The kind of event that a finished run ends with. Spec: Run. */
export const finalEventType = (run: Run): "run.succeeded" | "run.paused" | "run.failed" | "run.cancelled" => {
  if (run.status === "succeeded") return run.paused ? "run.paused" : "run.succeeded"
  return run.status === "cancelled" ? "run.cancelled" : "run.failed"
}

/** Most bytes of JSON of one event's data. */
export const EVENT_BYTES_MAX = 64 * 1024

/** Bytes of data at which a page of a log ends, so that a slow reader costs no more memory than that. */
export const LOG_PAGE_BYTES = 256 * 1024

/** The texts that are left of an event that is too large: how many, how long each, and how long its name may be, in characters. */
const EXCERPTS_MAX = 8
const EXCERPT_LENGTH_MAX = 1_000
const EXCERPT_NAME_LENGTH_MAX = 64

/**
 * The data of an event as its log keeps it, and its size as JSON. Data over `EVENT_BYTES_MAX` is replaced by the beginnings of
 * its first `EXCERPTS_MAX` texts, marked as truncated.
 */
export const keptData = (given: RunEvent["data"]): { readonly data: RunEvent["data"]; readonly bytes: number } => {
  const bytes = jsonBytes(given)
  if (bytes <= EVENT_BYTES_MAX) return { data: storableRecord(given), bytes }
  const texts = Object.entries(given).flatMap(([name, value]) =>
    typeof value === "string" && name.length <= EXCERPT_NAME_LENGTH_MAX
      ? [[name, value.slice(0, EXCERPT_LENGTH_MAX)] as const]
      : []
  )
  const data = storableRecord({ ...Object.fromEntries(texts.slice(0, EXCERPTS_MAX)), truncated: true, bytes })
  return { data, bytes: jsonBytes(data) }
}

/** The log's entry for the beginning of an attempt. */
export const runStarted = (run: Run, createdAt: DateTime.Utc): NewRunEvent => ({
  type: "run.started",
  createdAt,
  attempt: run.attempt,
  data: {}
})

/** The log's last event of a finished run. */
export const finalEvent = (run: Run): NewRunEvent => ({
  type: finalEventType(run),
  createdAt: run.finishedAt ?? run.createdAt,
  attempt: run.attempt,
  data:
    run.status === "failed"
      ? { error_code: run.errorCode, error: run.error }
      : run.paused
        ? { message: run.message, interrupt: run.interrupt, interrupt_truncated: run.interruptTruncated }
        : {}
})
