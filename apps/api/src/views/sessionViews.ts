import {
  askedAt,
  type ListedSession,
  type Run,
  type RunId,
  type Runs,
  type SessionId,
  type SessionMessage,
  sessionStatusOf
} from "@agent-platform/runs"
import type { Effect } from "effect"

type Reading = Effect.Success<ReturnType<Runs["Service"]["readSession"]>>

/** A session as the contract shows it. */
export const sessionView = (reading: Reading) => {
  const { latest, question, session, unfinished } = reading
  return {
    sessionId: session.id,
    workspaceId: session.workspaceId,
    status: sessionStatusOf(reading),
    createdAt: session.createdAt,
    unfinished,
    latestRun: latest === undefined ? null : { ...latest, runId: latest.id },
    openQuestion: question === undefined ? null : { ...question, runId: question.id, askedAt: askedAt(question) }
  }
}

/** A session as a list shows it. */
export const sessionSummary = (session: ListedSession) => {
  const { latest, question } = session
  return {
    ...session,
    status: sessionStatusOf(session),
    latestRun: latest === undefined ? null : { ...latest, runId: latest.id },
    openQuestion: question === undefined ? null : { ...question, runId: question.id }
  }
}

const isReply = (
  reply: unknown
): reply is { readonly decision: string | null; readonly data: SessionMessage["reply"] } =>
  typeof reply === "object" && reply !== null && "decision" in reply && "data" in reply

/** A message of a session, as the contract shows it. */
export const messageView = (sessionId: SessionId, message: SessionMessage) => ({
  ...message,
  messageId: message.id,
  sessionId,
  message: message.text,
  decision: isReply(message.reply) ? message.reply.decision : null,
  data: isReply(message.reply) ? message.reply.data : null,
  question: message.isQuestion
})

/** The outcome of cancelling a session, as the contract shows it. */
export const cancelledView = (
  sessionId: SessionId,
  done: {
    readonly cancelled: ReadonlyArray<Run>
    readonly requested: ReadonlyArray<Run>
    readonly questions: ReadonlyArray<RunId>
  }
) => ({
  sessionId,
  cancelled: done.cancelled.map((run) => ({ runId: run.id, status: "cancelled" as const })),
  requested: done.requested.map((run) => ({
    runId: run.id,
    status: "running" as const,
    cancelRequestedAt: run.cancelRequestedAt ?? run.createdAt
  })),
  closedQuestions: done.questions.map((runId) => ({ runId }))
})
