import { layerMemory, newestFirst } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Order } from "effect"
import { ScheduleStore, type WorkspacePlace } from "../ports/ScheduleStore.ts"
import type { Schedule } from "../Schedule.ts"

const byPlace = Order.combine(
  Order.mapInput(Order.String, (place: WorkspacePlace) => place.organizationId),
  Order.mapInput(Order.String, (place: WorkspacePlace) => place.workspaceId)
)

const byTime = Order.mapInput(Order.Number, ({ nextRunAt }: Schedule) =>
  nextRunAt === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(nextRunAt)
)

const isDue = (at: DateTime.Utc) => (schedule: Schedule) =>
  schedule.nextRunAt !== null && DateTime.isLessThanOrEqualTo(schedule.nextRunAt, at)

/** Schedules over a `MemoryDatabase`. */
export const layerScheduleStore = layerMemory(ScheduleStore)((database) => {
  const schedules = database.table<Schedule>("schedule")
  const ofWorkspace = (workspaceId: string) =>
    Effect.map(schedules.all, (all) => all.filter((schedule) => schedule.workspaceId === workspaceId))
  const find: ScheduleStore["Service"]["find"] = (workspaceId, id) =>
    Effect.map(schedules.get(id), (schedule) => (schedule?.workspaceId === workspaceId ? schedule : undefined))

  return {
    // Transactions in memory run one after another, so nothing has to be locked.
    holdCount: (workspaceId, max) => Effect.map(ofWorkspace(workspaceId), (all) => Math.min(all.length, max)),
    insert: (schedule) => schedules.put(schedule.id, schedule),
    find,
    hold: find,

    holdOfAgent: (workspaceId, agentId) =>
      Effect.map(ofWorkspace(workspaceId), (all) =>
        all.filter((schedule) => schedule.agentId === agentId && schedule.enabled)
      ),

    list: (workspaceId, { agentId }, page) =>
      Effect.map(ofWorkspace(workspaceId), (all) =>
        newestFirst(
          all.filter((schedule) => agentId === undefined || schedule.agentId === agentId),
          page
        )
      ),

    update: (changed) =>
      Effect.forEach(
        changed,
        Effect.fnUntraced(function* (schedule) {
          const before = yield* find(schedule.workspaceId, schedule.id)
          if (before !== undefined) yield* schedules.put(schedule.id, schedule)
        }),
        { discard: true }
      ),

    remove: Effect.fnUntraced(function* (workspaceId, id) {
      const schedule = yield* find(workspaceId, id)
      if (schedule !== undefined) yield* schedules.remove(id)
      return schedule
    }),

    dueWorkspaces: ({ after, at, limit }) =>
      Effect.map(schedules.all, (all) => {
        const due = all.filter(isDue(at)).map(({ organizationId, workspaceId }) => ({ organizationId, workspaceId }))
        return [...new Map(due.map((place) => [place.workspaceId, place])).values()]
          .filter((place) => after === undefined || byPlace(place, after) > 0)
          .sort(byPlace)
          .slice(0, limit)
      }),

    holdDue: ({ at, max, only, workspace }) =>
      Effect.map(ofWorkspace(workspace.workspaceId), (all) =>
        all
          .filter((schedule) => isDue(at)(schedule) && (only === undefined || schedule.id === only))
          .sort(byTime)
          .slice(0, max)
      )
  }
})
