import { recordActivity, UnitOfWork, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { RunRecord } from "../RunRecord.ts"

/** Records that somebody gets a run's record before they get it, because it holds all that was said in the run. */
export const noteRecordRead = useCase("runs.noteRecordRead")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly record: RunRecord
}) {
  const unit = yield* UnitOfWork
  const { actor, organizationId, workspaceId } = command.caller
  const { agent, run } = command.record
  yield* unit.atomic(
    recordActivity({
      organizationId,
      workspaceId,
      action: "run.record_read",
      actor,
      summary: `${actor.label} read the record of a run of the agent '${agent.name}'`,
      resourceType: "run",
      resourceId: run.id,
      payload: { run_id: run.id, agent_id: agent.id, session_id: run.sessionId }
    })
  )
})
