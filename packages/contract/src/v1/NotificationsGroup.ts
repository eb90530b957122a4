/** The notifications of a workspace. Spec: Notifications. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, Formats } from "./access.ts"
import { UnprocessableContent } from "./errors.ts"
import {
  NewReadMark,
  NotificationList,
  NotificationStream,
  notificationParameters,
  UnreadCount
} from "./feedSchemas.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, lastEventId } from "./queries.ts"

const PATH = "/api/v1/notifications"

/** The group behind `/api/v1/notifications`. */
export class NotificationsGroup extends HttpApiGroup.make("notifications")
  .add(
    HttpApiEndpoint.get("listNotifications", PATH, {
      query: notificationParameters.fields,
      success: NotificationList,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "feeds:read" })
      .annotate(OpenApi.Transform, documentParameters(notificationParameters.docs))
      .annotate(OpenApi.Summary, "Read notifications")
      .annotate(
        OpenApi.Description,
        "The 50 most recent notices to the workspace or to all of its organization, and the exact number of unread ones " +
          "among all that are kept, whatever the filters say. A notice that is marked as read is so for the whole workspace, " +
          "and for no other. That of a question becomes read with its answer or cancellation. Of more than ten failures of " +
          "an agent within ten minutes, one notice counts the others: `count` in its `payload`."
      ),
    HttpApiEndpoint.post("markNotificationsRead", `${PATH}/read`, {
      payload: NewReadMark,
      success: UnreadCount,
      error: UnprocessableContent
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "workspace", scope: "feeds:write" })
      .annotate(OpenApi.Summary, "Mark notifications as read")
      .annotate(
        OpenApi.Description,
        "Marks notices as read for the workspace: those named, or all that there are. Notices posted meanwhile " +
          "stay unread. Ids of notices that the workspace does not see change nothing."
      ),
    HttpApiEndpoint.get("followNotifications", `${PATH}/stream`, {
      headers: lastEventId("The `id` that a reconnecting stream saw last; what came after it follows"),
      success: NotificationStream,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "workspace", scope: "feeds:read" })
      .annotate(Formats, ["text/event-stream"])
      .annotate(OpenApi.Summary, "Follow notifications")
      .annotate(
        OpenApi.Description,
        "An event stream of the workspace's notices as they are posted. `id` is how far the feed has been read " +
          "with it, `event` the notice's type, and `data` the notice as the list shows it. Where notices have become read, " +
          "an event `read` has how many are unread now, `unread_count`, in its `data`; who comes back gets one behind what was missed. It begins now, or after " +
          "Last-Event-ID, and ends with the credential, or when its reader falls too far behind. A comment comes " +
          "at least every 15 seconds. An id that the feed has not come to is 422. Where it begins now, an `id` " +
          "without an event comes first, to come back to. Too far behind is more than 1,000 notices."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Notifications")
  .annotate(OpenApi.Description, "Notices to people") {}
