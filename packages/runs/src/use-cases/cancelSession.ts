import { atomic, closeNotices } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import type { RunId } from "../Run.ts"
import { type SessionId, SessionNotFound } from "../Session.ts"
import { type Cancellation, cancelBatch, cancelRuns } from "./cancelRuns.ts"

export interface CancelSession extends Cancellation {
  readonly sessionId: SessionId
}

const CANCELLED = "A run's question was cancelled"

/**
 * Cancels all unfinished runs of the session, durably: queued runs at once, one that executes after a grace at the latest,
 * and its open questions, to which nobody can reply any more. Doing it again asks for nothing new, and goes on where a
 * process died meanwhile: each batch of runs is a transaction. Fails with SessionNotFound. Spec: Run 5.
 */
export const cancelSession = useCase("runs.cancelSession")(function* (command: CancelSession) {
  const sessions = yield* SessionStore
  const sessionRuns = yield* SessionRuns
  const questions: Array<RunId> = []
  const cancelOne = (before: RunId | undefined) =>
    atomic(
      Effect.gen(function* () {
        const session = yield* sessions.hold(command.caller.workspaceId, command.sessionId)
        if (session === undefined) return yield* new SessionNotFound()
        const closed = yield* sessionRuns.cancelQuestions(session.id, yield* DateTime.now)
        if (closed.length > 0) yield* CheckpointStore.use((checkpoints) => checkpoints.removeSpent(closed))
        const { organizationId, workspaceId } = session
        yield* closeNotices(...closed.map((about) => ({ organizationId, workspaceId, about, title: CANCELLED })))
        questions.push(...closed)
        return yield* cancelBatch(session.id, command, before)
      })
    )
  const done = yield* cancelRuns(cancelOne)
  return { ...done, questions }
})
