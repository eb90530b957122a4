import { atomic, recordActivity, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { actOf } from "../activity.ts"
import type { RunRecord } from "../RunRecord.ts"

/** Records in the activity feed that somebody reads a run's record, which holds all that was said in it. Called before they get it. */
export const noteRecordRead = useCase("runs.noteRecordRead")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly record: RunRecord
}) {
  const { agent, run } = command.record
  const payload = { run_id: run.id, agent_id: agent.id, session_id: run.sessionId }
  const words = `read the record of a run of the agent '${agent.name}'`
  yield* recordActivity(
    actOf(command.caller, { resourceType: "run", resourceId: run.id, verb: "record_read", words, payload })
  )
}, atomic)
