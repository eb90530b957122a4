/** A whole run as a record, for people who were not there. Spec: Run record. */
import type { DateTime, Schema, Stream } from "effect"
import type { Agent } from "./Agent.ts"
import { RESULT_BYTES_MAX, type Run, type RunId } from "./Run.ts"
import type { RunEvent, RunEventType } from "./RunEvent.ts"

/** Something that happened, as the log has it. */
export type TimelineEntry = Pick<RunEvent, "seq" | "type" | "createdAt" | "attempt" | "data">

/** Something that was said. */
export interface RecordMessage {
  readonly role: "user" | "agent"
  readonly text: string
  readonly createdAt: DateTime.Utc
  /** False for what the agent was still saying when the run ended. */
  readonly isComplete: boolean
}

/** A question, and what became of it. */
export interface Approval {
  readonly questionRunId: RunId
  readonly question: string | null
  readonly interrupt: Schema.JsonObject | null
  readonly askedAt: DateTime.Utc
  readonly status: "open" | "answered" | "cancelled"
  readonly answer: {
    readonly runId: RunId
    readonly message: string | null
    /** The decision and the data that came with the answer. */
    readonly reply: Schema.Json
    readonly answeredAt: DateTime.Utc
  } | null
}

/** An item of one of a record's long lists. */
export type RecordItem =
  | { readonly type: "entry"; readonly entry: TimelineEntry }
  | { readonly type: "message"; readonly message: RecordMessage }

/** A finished run with all that is known of it. */
export interface RunRecord {
  readonly run: Run
  readonly agent: Pick<Agent, "id" | "name">
  readonly approvals: ReadonlyArray<Approval>
  /** The log without the pieces of messages, oldest first, and what was said; read page by page as it is asked for. */
  readonly items: Stream.Stream<RecordItem>
}

/** Most of what was being said when a run ended, in characters: a message cannot be longer either. */
const UNFINISHED_LENGTH_MAX = RESULT_BYTES_MAX

const textOf = (event: RunEvent): string => (typeof event.data["text"] === "string" ? event.data["text"] : "")

const messageOf = (message: RecordMessage): RecordItem => ({ type: "message", message })

/** The events after which the agent does not go on with a message that it had begun. */
const STARTS_ANEW: ReadonlySet<RunEventType> = new Set(["run.started", "run.retrying"])

/** Makes the items of a record out of the log of a finished run, event by event. */
export const makeRecordItems = (run: Run) => {
  /** The pieces so far of the message that the agent is writing. */
  let pieces: { text: string; readonly createdAt: DateTime.Utc } | undefined
  /** Whether the message that the run ended with was found in the log, or there is none. */
  let hasMessage = run.message === null

  /** The message that the agent was writing, if there is one, which stays unfinished. */
  const takeUnfinished = (): ReadonlyArray<RecordItem> => {
    const unfinished = pieces
    pieces = undefined
    return unfinished === undefined ? [] : [messageOf({ role: "agent", ...unfinished, isComplete: false })]
  }

  const messagesIn = (event: RunEvent): ReadonlyArray<RecordItem> => {
    if (STARTS_ANEW.has(event.type)) return takeUnfinished()
    if (event.type !== "message.completed") return []
    const text = textOf(event)
    pieces = undefined
    hasMessage ||= text === run.message
    return [messageOf({ role: "agent", text, createdAt: event.createdAt, isComplete: true })]
  }

  return {
    /** The prompt, which precedes everything in the log. */
    begin: (): ReadonlyArray<RecordItem> =>
      run.prompt === null
        ? []
        : [messageOf({ role: "user", text: run.prompt, createdAt: run.createdAt, isComplete: true })],
    add: (event: RunEvent): ReadonlyArray<RecordItem> => {
      if (event.type === "message.delta") {
        pieces ??= { text: "", createdAt: event.createdAt }
        if (pieces.text.length < UNFINISHED_LENGTH_MAX) {
          pieces.text = `${pieces.text}${textOf(event)}`.slice(0, UNFINISHED_LENGTH_MAX)
        }
        return []
      }
      // `reasoning.completed` has the whole text, so the pieces are left out.
      if (event.type === "reasoning.delta") return []
      const { attempt, createdAt, data, seq, type } = event
      return [...messagesIn(event), { type: "entry", entry: { seq, type, createdAt, attempt, data } }]
    },
    /** The unfinished message, or the one that the run ended with if the log lacks it. */
    end: (): ReadonlyArray<RecordItem> => {
      if (hasMessage) return takeUnfinished()
      const createdAt = run.finishedAt ?? run.createdAt
      const last = messageOf({ role: "agent", text: run.message ?? "", createdAt, isComplete: true })
      // Pieces of the message that the run ended with are that message.
      return pieces?.text === run.message ? [last] : [...takeUnfinished(), last]
    }
  }
}

/** The question that a paused run asked, and the run that answered it, if one did. */
export const approvalOf = (question: Run, answer: Run | undefined): Approval => ({
  questionRunId: question.id,
  question: question.message,
  interrupt: question.interrupt,
  askedAt: question.finishedAt ?? question.createdAt,
  status: answer !== undefined ? "answered" : question.questionCancelledAt === null ? "open" : "cancelled",
  answer:
    answer === undefined
      ? null
      : { runId: answer.id, message: answer.prompt, reply: answer.input, answeredAt: answer.createdAt }
})
