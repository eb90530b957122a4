import { type FeedPayload, recordActivity, type WorkspaceCaller } from "@agent-platform/kernel"
import { actOf } from "../../activity.ts"
import type { Schedule } from "../../Schedule.ts"
import { titleOf } from "../../schedules/commandOf.ts"

const WORDS = { created: "created", updated: "changed", deleted: "deleted", ended: "switched off" } as const

/** Records in the caller's transaction that it did this to the schedule. */
export const recordScheduleAct = (
  caller: WorkspaceCaller,
  verb: keyof typeof WORDS,
  schedule: Schedule,
  payload: FeedPayload = {}
) => {
  const { agentId, cron, id: resourceId, name, timezone } = schedule
  const words = `${WORDS[verb]} the schedule '${titleOf(schedule)}'`
  const about = { name, agent_id: agentId, cron, timezone, ...payload }
  return recordActivity(actOf(caller, { resourceType: "schedule", resourceId, verb, words, payload: about }))
}
