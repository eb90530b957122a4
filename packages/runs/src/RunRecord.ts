/** A run told as a whole, for people who were not there. Contract: Runs, record. */
import type { DateTime, Schema } from "effect"
import type { Agent } from "./Agent.ts"
import type { Run, RunId } from "./Run.ts"
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
  readonly interrupt: Schema.Json
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

/** A finished run with all that is known of it. */
export interface RunRecord {
  readonly run: Run
  readonly agent: Pick<Agent, "id" | "name">
  /** The log without the pieces of messages, oldest first. */
  readonly timeline: ReadonlyArray<TimelineEntry>
  /** Whether the log went on beyond `TIMELINE_MAX` entries. */
  readonly isTimelineCut: boolean
  readonly messages: ReadonlyArray<RecordMessage>
  readonly approvals: ReadonlyArray<Approval>
}

/** Most entries of a record's timeline; the last one is always there. */
export const TIMELINE_MAX = 10_000

const textOf = (event: RunEvent): string => (typeof event.data["text"] === "string" ? event.data["text"] : "")

/** What a log says piece by piece, gathered as it is read. */
export const makeTelling = () => {
  const timeline: Array<TimelineEntry> = []
  const messages: Array<RecordMessage> = []
  let last: TimelineEntry | undefined
  let beyond = 0
  let pieces: { text: string; readonly createdAt: DateTime.Utc } | undefined

  const giveUpPieces = () => {
    if (pieces !== undefined) messages.push({ role: "agent", ...pieces, isComplete: false })
    pieces = undefined
  }
  const startsAnew: ReadonlySet<RunEventType> = new Set(["run.started", "run.retrying"])

  return {
    add: (event: RunEvent) => {
      if (event.type === "message.delta") {
        pieces = { text: (pieces?.text ?? "") + textOf(event), createdAt: pieces?.createdAt ?? event.createdAt }
        return
      }
      if (event.type === "message.completed") {
        pieces = undefined
        messages.push({ role: "agent", text: textOf(event), createdAt: event.createdAt, isComplete: true })
      }
      if (startsAnew.has(event.type)) giveUpPieces()
      const { attempt, createdAt, data, seq, type } = event
      last = { seq, type, createdAt, attempt, data }
      if (timeline.length < TIMELINE_MAX - 1) timeline.push(last)
      else beyond += 1
    },
    end: () => {
      if (beyond > 0 && last !== undefined) timeline.push(last)
      giveUpPieces()
      return { timeline, messages, isTimelineCut: beyond > 1 }
    }
  }
}

/** All that was said: the prompt, what the log tells of the agent's words, and the last of these if the log lacks it. */
export const messagesOfRecord = (run: Run, told: ReadonlyArray<RecordMessage>): ReadonlyArray<RecordMessage> => {
  const prompt: ReadonlyArray<RecordMessage> =
    run.prompt === null ? [] : [{ role: "user", text: run.prompt, createdAt: run.createdAt, isComplete: true }]
  const isTold = run.message === null || told.some((message) => message.isComplete && message.text === run.message)
  const last: ReadonlyArray<RecordMessage> = isTold
    ? []
    : [{ role: "agent", text: run.message ?? "", createdAt: run.finishedAt ?? run.createdAt, isComplete: true }]
  // Pieces of a message that the run ended with are that message.
  const rest = last.length === 0 ? told : told.filter((message) => message.isComplete || message.text !== run.message)
  return [...prompt, ...rest, ...last]
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
