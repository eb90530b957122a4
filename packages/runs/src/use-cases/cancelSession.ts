import { UnitOfWork, useCase } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { type SessionId, SessionNotFound } from "../Session.ts"
import { type Cancellation, cancelRuns } from "./cancelRuns.ts"

export interface CancelSession extends Cancellation {
  readonly sessionId: SessionId
}

/**
 * Cancels whatever the session has under way, durably: queued runs at once, one that executes after a grace at the latest,
 * and its open questions, to which nobody can reply any more. Doing it again asks for nothing new. Fails with
 * SessionNotFound. Spec: Run, cancellation lives on the session.
 */
export const cancelSession = useCase("runs.cancelSession")(function* (command: CancelSession) {
  const sessions = yield* SessionStore
  const runs = yield* RunStore
  const unit = yield* UnitOfWork
  return yield* unit.atomic(
    Effect.gen(function* () {
      const session = yield* sessions.hold(command.caller.workspaceId, command.sessionId)
      if (session === undefined) return yield* new SessionNotFound()
      const questions = yield* runs.cancelQuestions(session.id, yield* DateTime.now)
      if (questions.length > 0) yield* CheckpointStore.use((checkpoints) => checkpoints.remove(questions))
      return { ...(yield* cancelRuns(session.id, command)), questions }
    })
  )
})
