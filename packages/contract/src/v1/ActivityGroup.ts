/** The activity of a workspace. Spec: Activity. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { ActivityPage, activityParameters } from "./feedSchemas.ts"
import { Strict } from "./middleware.ts"
import { documentParameters } from "./queries.ts"

/** The group behind `/api/v1/activity`. */
export class ActivityGroup extends HttpApiGroup.make("activity")
  .add(
    HttpApiEndpoint.get("listActivity", "/api/v1/activity", {
      query: activityParameters.fields,
      success: ActivityPage
    })
      .annotate(Access, { reach: "workspace", scope: "feeds:read" })
      .annotate(OpenApi.Transform, documentParameters(activityParameters.docs))
      .annotate(OpenApi.Summary, "List activity")
      .annotate(
        OpenApi.Description,
        "The activity of the workspace, newest first; for organization keys, owners and admins also that of the " +
          "organization itself. Filters combine freely. Entries that exist when the first page is read come " +
          "exactly once, even if others are recorded meanwhile. An entry has the time at which it was done and is " +
          "there once its transaction is committed, so one of a slow transaction can come in a little below the " +
          "newest."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Activity")
  .annotate(OpenApi.Description, "The record of actions") {}
