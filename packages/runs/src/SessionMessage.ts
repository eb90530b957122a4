import type { DateTime, Schema } from "effect"
import type { Run, RunId } from "./Run.ts"

/**
 * One message of a session. The caller's words are a run's prompt, the agent's are the message that it ended with. `place`
 * orders them: a run's answer follows its prompt, even where later prompts were written before the answer.
 */
export interface SessionMessage {
  readonly place: number
  /** A UUID, the same whenever it is read. */
  readonly id: string
  readonly runId: RunId
  readonly role: "user" | "agent"
  readonly text: string
  /** The data of a reply beside its text; null otherwise. */
  readonly reply: Schema.Json
  /** Whether the agent's words are a question. */
  readonly isQuestion: boolean
  readonly createdAt: DateTime.Utc
}

/** The fields of a run that its messages are made of. */
export type Said = Pick<Run, "id" | "prompt" | "input" | "message" | "paused" | "trigger" | "createdAt" | "finishedAt">

/** The agent's message of a run has the run's id, but as a UUID of version 8: of our own making. */
const agentMessageId = (runId: RunId): string => `${runId.slice(0, 14)}8${runId.slice(15)}`

/** The messages of the n-th run of its session, from 1: the prompt first, then the answer. */
export const messagesOf = (run: Said, position: number): ReadonlyArray<SessionMessage> => {
  const isReply = run.trigger.type === "message"
  const said: Array<SessionMessage> = []
  if (run.prompt !== null) {
    said.push({
      place: 2 * position,
      id: isReply && run.trigger.id !== null ? run.trigger.id : run.id,
      runId: run.id,
      role: "user",
      text: run.prompt,
      reply: isReply ? run.input : null,
      isQuestion: false,
      createdAt: run.createdAt
    })
  }
  if (run.message !== null) {
    said.push({
      place: 2 * position + 1,
      id: agentMessageId(run.id),
      runId: run.id,
      role: "agent",
      text: run.message,
      reply: null,
      isQuestion: run.paused,
      createdAt: run.finishedAt ?? run.createdAt
    })
  }
  return said
}
