import type { Actor } from "@agent-platform/kernel"
import type { DateTime } from "effect"
import type { Schedule } from "../Schedule.ts"
import type { TriggerRun } from "../TriggerRun.ts"

/** The name of a schedule in sentences: its own, or its expression. */
export const titleOf = ({ cron, name }: Pick<Schedule, "cron" | "name">): string => name ?? cron

/** The schedule as the author of its runs. */
export const actorOf = (schedule: Schedule): Actor => ({
  type: "system",
  id: schedule.id,
  label: `The schedule '${titleOf(schedule)}'`
})

/** The command that triggers the run of a schedule for a time. The run says by its `runAt` which time it is for. */
export const commandOf = (schedule: Schedule, dueAt: DateTime.Utc): TriggerRun => {
  const { agentId, id, input, metadata, organizationId, prompt, tags, workspaceId } = schedule
  return {
    caller: { organizationId, workspaceId, actor: actorOf(schedule) },
    agentId,
    prompt,
    input,
    metadata,
    tags,
    runAt: dueAt,
    trigger: { type: "schedule", id }
  }
}
