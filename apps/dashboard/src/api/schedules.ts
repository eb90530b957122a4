/** Reads and changes the schedules of a workspace. */
import type { NewSchedule, Schedule, ScheduleChange } from "@agent-platform/client"
import { infiniteQueryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The schedules, newest first. */
export const schedulesQuery = ({ client }: Session) =>
  infiniteQueryOptions({
    queryKey: ["schedules"],
    queryFn: ({ pageParam, signal }) =>
      client.schedules.listSchedules({ query: { limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** Makes a schedule. */
export const createSchedule = ({ client }: Session, body: NewSchedule) => client.schedules.createSchedule({ body })

/** Changes a schedule, unless somebody else has changed it since it was read. */
export const updateSchedule = ({ client }: Session, { id, version }: Schedule, body: ScheduleChange) =>
  client.schedules.updateSchedule({ params: { schedule_id: id }, body, headers: { "If-Match": String(version) } })

/** Ends a schedule. */
export const deleteSchedule = ({ client }: Session, scheduleId: string) =>
  client.schedules.deleteSchedule({ params: { schedule_id: scheduleId } })
