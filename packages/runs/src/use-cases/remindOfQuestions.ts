import { atomic, publishAll } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { agentPausedReminder, questionData } from "../events.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"

/** How long a question is open before its reminder, in hours. */
export const REMINDED_AFTER_HOURS = 1

/** Most reminders that are published in one transaction. */
const PORTION = 100

const remindSome = Effect.fnUntraced(function* (askedBefore: DateTime.Utc) {
  const questions = yield* SessionRuns
  const runs = yield* questions.remind({ askedBefore, max: PORTION })
  yield* publishAll(
    runs.map((run) => ({
      kind: agentPausedReminder,
      about: { organizationId: run.organizationId, workspaceId: run.workspaceId },
      data: questionData(run),
      trace: run.trace
    }))
  )
  return runs.length
})

/**
 * Publishes `agent.paused_reminder` for each question that has been open for an hour, once, and returns how many. Safe to do twice and
 * at once.
 */
export const remindOfQuestions = useCase("runs.remindOfQuestions")(function* () {
  const askedBefore = DateTime.subtract(yield* DateTime.now, { hours: REMINDED_AFTER_HOURS })
  let count = 0
  while (true) {
    const reminded = yield* atomic(remindSome(askedBefore))
    count += reminded
    if (reminded < PORTION) return count
  }
})
