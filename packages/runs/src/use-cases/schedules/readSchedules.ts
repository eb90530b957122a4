import type { PageRequest, WorkspaceCaller, WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import type { AgentId } from "../../Agent.ts"
import { ScheduleStore } from "../../ports/ScheduleStore.ts"
import { type ScheduleId, ScheduleNotFound } from "../../Schedule.ts"

/** The workspace's schedule. Fails with ScheduleNotFound. */
export const findSchedule = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: ScheduleId) {
  const store = yield* ScheduleStore
  return (yield* store.find(workspaceId, id)) ?? (yield* new ScheduleNotFound())
})

/** One schedule of the workspace. Fails with ScheduleNotFound. */
export const readSchedule = useCase("runs.readSchedule")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly id: ScheduleId
}) {
  return yield* findSchedule(query.caller.workspaceId, query.id)
})

/** The workspace's schedules, newest first: all of them, or those of one agent. */
export const listSchedules = useCase("runs.listSchedules")(function* (query: {
  readonly caller: WorkspaceCaller
  readonly agentId: AgentId | undefined
  readonly page: PageRequest
}) {
  const store = yield* ScheduleStore
  return yield* store.list(query.caller.workspaceId, { agentId: query.agentId }, query.page)
})
