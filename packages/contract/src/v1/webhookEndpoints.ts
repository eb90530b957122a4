/** The operations on webhook endpoints themselves. Spec: Organization webhooks. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Access, Formats } from "./access.ts"
import { accepted, created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { text } from "./formats.ts"
import { JsonBody } from "./middleware.ts"
import { documentParameters, lastEventId, pageParameters } from "./queries.ts"
import {
  DeliveryView,
  EndpointPage,
  EndpointView,
  EventStream,
  NewEndpoint,
  NewEndpointDetails,
  NewSecret,
  NewTestEvent,
  RegisteredEndpointView,
  RotatedEndpointView
} from "./webhookSchemas.ts"

const PATH = "/api/v1/org/webhooks"

/** The parameter of the path of one endpoint. */
export const endpointPath = { endpoint_id: text("The endpoint's id") }

/** Registers an endpoint. */
export const registerEndpoint = HttpApiEndpoint.post("registerEndpoint", PATH, {
  headers: idempotencyHeaders,
  payload: NewEndpoint,
  success: created(RegisteredEndpointView),
  error: [Conflict, UnprocessableContent]
})
  .middleware(JsonBody)
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Register a webhook endpoint")
  .annotate(
    OpenApi.Description,
    "Registers an HTTPS endpoint for the organization's events and shows its signing secret, this once. An " +
      "organization holds at most 10 active endpoints. The host is resolved, which may take 5 seconds, and all of its " +
      "addresses must be public. The same URL again is another endpoint with a secret of its own, and both are sent to."
  )

/** Lists endpoints. */
export const listEndpoints = HttpApiEndpoint.get("listEndpoints", PATH, {
  query: pageParameters.fields,
  success: EndpointPage
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
  .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
  .annotate(OpenApi.Summary, "List webhook endpoints")
  .annotate(OpenApi.Description, "The organization's endpoints, newest first; never their secrets.")

/** Streams what is published. */
export const followEvents = HttpApiEndpoint.get("followEvents", `${PATH}/stream`, {
  headers: lastEventId("The id that a reconnecting stream received last; what came after it follows"),
  success: EventStream,
  error: UnprocessableContent
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
  .annotate(Formats, ["text/event-stream"])
  .annotate(OpenApi.Summary, "Follow the organization's events")
  .annotate(
    OpenApi.Description,
    "An event stream of everything that endpoints could be sent, as it is published, test events included. `id` is " +
      "the event's id, `event` its type, and `data` the envelope byte for byte as deliveries carry it. It begins now, " +
      "or after Last-Event-ID; where it begins now, an `id` without an event comes first, to come back to. It ends " +
      "with the key, or when its reader falls too far behind. A comment comes at least every 15 seconds. An id that is " +
      "not of an event of the organization, or of one that is not kept any more, is 422. Too far behind is more than " +
      "1,000 events or 1 MiB."
  )

/** Reads an endpoint. */
export const getEndpoint = HttpApiEndpoint.get("getEndpoint", `${PATH}/:endpoint_id`, {
  params: endpointPath,
  success: EndpointView,
  error: NotFound
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
  .annotate(OpenApi.Summary, "Read a webhook endpoint")
  .annotate(OpenApi.Description, "An endpoint without its secret; a deleted one too.")

/** Changes an endpoint. */
export const updateEndpoint = HttpApiEndpoint.patch("updateEndpoint", `${PATH}/:endpoint_id`, {
  params: endpointPath,
  payload: NewEndpointDetails,
  success: EndpointView,
  error: [NotFound, Conflict, UnprocessableContent]
})
  .middleware(JsonBody)
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Change a webhook endpoint")
  .annotate(
    OpenApi.Description,
    "Changes the members in the body. Deliveries that wait go to the new URL. Disabling makes those that wait " +
      "dead, and what would come until the endpoint is enabled again; a replay sends it then. `event_types` hold " +
      "for what is published from then on. 409 `endpoint_inactive` for a deleted one, `endpoint_limit_reached` " +
      "where `active` would make an eleventh."
  )

/** Deletes an endpoint. */
export const deleteEndpoint = HttpApiEndpoint.delete("deleteEndpoint", `${PATH}/:endpoint_id`, {
  params: endpointPath,
  success: EndpointView,
  error: NotFound
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Delete a webhook endpoint")
  .annotate(
    OpenApi.Description,
    "Nothing is sent to it any more. Its deliveries can still be listed, those that waited as dead. The second time " +
      "it answers the same. Its secret is forgotten."
  )

/** Rotates a signing secret. */
export const rotateSecret = HttpApiEndpoint.post("rotateSecret", `${PATH}/:endpoint_id/rotate-secret`, {
  params: endpointPath,
  headers: idempotencyHeaders,
  payload: NewSecret,
  success: created(RotatedEndpointView),
  error: [NotFound, Conflict, UnprocessableContent]
})
  .middleware(JsonBody)
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Rotate a signing secret")
  .annotate(
    OpenApi.Description,
    "Gives the endpoint a new signing secret and shows it, this once. Until the grace is over every delivery carries " +
      "a signature under each secret; a grace of 0 ends all older ones at once. At most 5 sign at once; then the " +
      "oldest goes."
  )

/** Sends a test event. */
export const testEndpoint = HttpApiEndpoint.post("testEndpoint", `${PATH}/:endpoint_id/test`, {
  params: endpointPath,
  headers: idempotencyHeaders,
  payload: NewTestEvent,
  success: accepted(DeliveryView),
  error: [NotFound, Conflict, UnprocessableContent]
})
  .middleware(JsonBody)
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Send a test event")
  .annotate(
    OpenApi.Description,
    "Sends a sample of the kind to this endpoint alone, whatever it subscribed to, signed and retried like every " +
      "event. Its data has `test: true`, and ids that belong to nothing. It works while the endpoint is disabled, too. " +
      "`Location` says where to read the delivery."
  )

/** Enables an endpoint. */
export const enableEndpoint = HttpApiEndpoint.post("enableEndpoint", `${PATH}/:endpoint_id/enable`, {
  params: endpointPath,
  success: EndpointView,
  error: [NotFound, Conflict]
})
  .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
  .annotate(OpenApi.Summary, "Enable a webhook endpoint")
  .annotate(
    OpenApi.Description,
    "Switches a disabled endpoint on again; an active one stays as it is. Deliveries that died meanwhile are " +
      "sent by a replay. 409 `endpoint_inactive` for a deleted one, `endpoint_limit_reached` where it would make " +
      "an eleventh."
  )
