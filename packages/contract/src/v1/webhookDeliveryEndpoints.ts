/** The operations on deliveries and on replays. Spec: Organization webhooks; Delivery and replay. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Access } from "./access.ts"
import { accepted, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, TooManyRequests, UnprocessableContent } from "./errors.ts"
import { text } from "./formats.ts"
import { JsonBody } from "./middleware.ts"
import { endpointPath } from "./webhookEndpoints.ts"
import { DeliveryList, DeliveryView, NewReplay, ReplayView } from "./webhookSchemas.ts"

const PATH = "/api/v1/org/webhooks"

const deliveryPath = { ...endpointPath, delivery_id: text("The delivery's id") }

/** Lists deliveries. */
export const listDeliveries = HttpApiEndpoint.get("listDeliveries", `${PATH}/:endpoint_id/deliveries`, {
  params: endpointPath,
  success: DeliveryList,
  error: NotFound
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
  .annotate(OpenApi.Summary, "List an endpoint's deliveries")
  .annotate(
    OpenApi.Description,
    "The 50 most recent deliveries of an endpoint, with response codes and errors. Each comes with its 20 newest " +
      "attempts. There are no further pages."
  )

/** Reads a delivery. */
export const getDelivery = HttpApiEndpoint.get("getDelivery", `${PATH}/:endpoint_id/deliveries/:delivery_id`, {
  params: deliveryPath,
  success: DeliveryView,
  error: NotFound
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
  .annotate(OpenApi.Summary, "Read a delivery")
  .annotate(OpenApi.Description, "One delivery of an endpoint with its newest attempts, however long ago it was.")

/** Sends a delivery again. */
export const replayDelivery = HttpApiEndpoint.post(
  "replayDelivery",
  `${PATH}/:endpoint_id/deliveries/:delivery_id/replay`,
  {
    params: deliveryPath,
    success: DeliveryView.pipe(HttpApiSchema.status(202)),
    error: [NotFound, Conflict]
  }
)
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Send a delivery again")
  .annotate(
    OpenApi.Description,
    "Sends the same event again, under the same id. A dead or delivered delivery starts over; a pending one is due " +
      "now. Earlier attempts stay. It works at a disabled endpoint, too, so that a receiver can be tried before it is " +
      "enabled: there it is sent once."
  )

/** Starts a replay of a range. */
export const startReplay = HttpApiEndpoint.post("startReplay", `${PATH}/:endpoint_id/replay`, {
  params: endpointPath,
  headers: idempotencyHeaders,
  payload: NewReplay,
  success: accepted(ReplayView),
  error: [NotFound, Conflict, UnprocessableContent, TooManyRequests]
})
  .middleware(JsonBody)
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Send a range of deliveries again")
  .annotate(
    OpenApi.Description,
    "Has deliveries of a range of time sent again, oldest event first, behind live traffic: at most 100 of them wait " +
      "at the endpoint at once. Answers a job whose progress can be read. The endpoint must be active. A sixth replay " +
      "of it that has not ended is 429 `queue_full`."
  )

/** Reads a replay. */
export const readReplay = HttpApiEndpoint.get("readReplay", `${PATH}/replays/:replay_id`, {
  params: { replay_id: text("The replay's id") },
  success: ReplayView,
  error: NotFound
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
  .annotate(OpenApi.Summary, "Read a replay")
  .annotate(OpenApi.Description, "How far a replay of a range has come.")
