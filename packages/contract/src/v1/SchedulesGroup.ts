/** Runs of agents by the clock. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders, ifMatchHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters } from "./queries.ts"
import {
  DeletedSchedule,
  NewSchedule,
  ScheduleChange,
  SchedulePage,
  ScheduleView,
  scheduleParameters
} from "./scheduleSchemas.ts"

const PATH = "/api/v1/schedules"
const schedulePath = { schedule_id: id("The schedule's id") }

/** The group behind `/api/v1/schedules`. */
export class SchedulesGroup extends HttpApiGroup.make("schedules")
  .add(
    HttpApiEndpoint.get("listSchedules", PATH, { query: scheduleParameters.fields, success: SchedulePage })
      .annotate(Access, { reach: "workspace", scope: "schedules:read" })
      .annotate(OpenApi.Transform, documentParameters(scheduleParameters.docs))
      .annotate(OpenApi.Summary, "List schedules")
      .annotate(OpenApi.Description, "The workspace's schedules, newest first, enabled or not."),
    HttpApiEndpoint.post("createSchedule", PATH, {
      headers: idempotencyHeaders,
      payload: NewSchedule,
      success: created(ScheduleView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "schedules:write" })
      .annotate(OpenApi.Summary, "Create a schedule")
      .annotate(
        OpenApi.Description,
        "Has an agent run by a cron expression, each time in a new session. Runs are made within about a minute of their time; " +
          "their `run_at` is that time, and their `trigger` the schedule. Where clocks are put forward over a time, its run is made " +
          "when they are; where they are put back, at the first of the two times, but in schedules of every hour at both. The " +
          "schedule is the workspace's: it goes on when the key or the person that created it is gone."
      ),
    HttpApiEndpoint.get("getSchedule", `${PATH}/:schedule_id`, {
      params: schedulePath,
      success: ScheduleView,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "schedules:read" })
      .annotate(OpenApi.Summary, "Read a schedule")
      .annotate(OpenApi.Description, "One schedule, with its next time and what became of the last."),
    HttpApiEndpoint.patch("updateSchedule", `${PATH}/:schedule_id`, {
      params: schedulePath,
      headers: ifMatchHeaders,
      payload: ScheduleChange,
      success: ScheduleView,
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "schedules:write" })
      .annotate(OpenApi.Summary, "Change a schedule")
      .annotate(
        OpenApi.Description,
        "Changes the members in the body and leaves the rest. `enabled: false` pauses it. With another expression or zone, or " +
          "enabled again, its times begin now. Runs that it has made stay as they are."
      ),
    HttpApiEndpoint.delete("deleteSchedule", `${PATH}/:schedule_id`, {
      params: schedulePath,
      success: DeletedSchedule,
      error: NotFound
    })
      .annotate(Access, { reach: "workspace", scope: "schedules:write" })
      .annotate(OpenApi.Summary, "Delete a schedule")
      .annotate(
        OpenApi.Description,
        "Deletes a schedule: it makes no run any more, and those that it made stay. The second time it is 404."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Schedules")
  .annotate(OpenApi.Description, "Runs of agents by the clock") {}
