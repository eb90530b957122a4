import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ScheduleStore } from "../../ports/ScheduleStore.ts"
import { type ScheduleId, ScheduleNotFound } from "../../Schedule.ts"
import { recordScheduleAct } from "./scheduleActivity.ts"

/** Deletes a schedule: it makes no run any more, and those that it made stay. Fails with ScheduleNotFound. */
export const deleteSchedule = useCase("runs.deleteSchedule")(function* (command: {
  readonly caller: WorkspaceCaller
  readonly id: ScheduleId
}) {
  const store = yield* ScheduleStore
  const schedule = yield* store.remove(command.caller.workspaceId, command.id)
  if (schedule === undefined) return yield* new ScheduleNotFound()
  yield* recordScheduleAct(command.caller, "deleted", schedule)
  return schedule
}, atomic)
