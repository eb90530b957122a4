/** Organization webhooks: endpoints, deliveries and replays. Spec: Organization webhooks; Delivery and replay; Events. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access, Formats } from "./access.ts"
import { accepted, created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, TooManyRequests, UnprocessableContent } from "./errors.ts"
import { id } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, lastEventId, pageParameters } from "./queries.ts"
import {
  DeliveryList,
  DeliveryView,
  deliveryListParameters,
  EndpointPage,
  EndpointView,
  EventStream,
  endpointListParameters,
  NewDeliveryReplay,
  NewEndpoint,
  NewEndpointDetails,
  NewReplay,
  NewSecret,
  NewTestEvent,
  RegisteredEndpointView,
  ReplayPage,
  ReplayView,
  RotatedEndpointView
} from "./webhookSchemas.ts"

const PATH = "/api/v1/org/webhooks"

const endpointPath = { endpoint_id: id("The endpoint's id") }
const deliveryPath = { ...endpointPath, delivery_id: id("The delivery's id") }

/** The group behind `/api/v1/org/webhooks`. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("registerEndpoint", PATH, {
      headers: idempotencyHeaders,
      payload: NewEndpoint,
      success: created(RegisteredEndpointView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
      .annotate(OpenApi.Summary, "Register a webhook endpoint")
      .annotate(
        OpenApi.Description,
        "Registers an HTTPS endpoint for the organization's events and shows its signing secret, this once. An " +
          "organization holds at most 10 active endpoints. The host is resolved, which may take 5 seconds, and all of its " +
          "addresses must be public. A workspace that is none of the organization's is 404. The same URL again is another endpoint with a secret of its own, and both are sent to."
      ),
    HttpApiEndpoint.get("listEndpoints", PATH, {
      query: endpointListParameters.fields,
      success: EndpointPage
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Transform, documentParameters(endpointListParameters.docs))
      .annotate(OpenApi.Summary, "List webhook endpoints")
      .annotate(
        OpenApi.Description,
        "The organization's endpoints, newest first; never their secrets. Deleted ones with `include_deleted=true` alone."
      ),
    HttpApiEndpoint.get("followEvents", `${PATH}/stream`, {
      headers: lastEventId("The id that a reconnecting stream received last; what came after it follows"),
      success: EventStream,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(Formats, ["text/event-stream"])
      .annotate(OpenApi.Summary, "Follow the organization's events")
      .annotate(
        OpenApi.Description,
        "An event stream of everything that an endpoint is sent that names no kinds, as it is published, test events " +
          "included. `id` is " +
          "the event's id, `event` its type, and `data` the envelope byte for byte as deliveries carry it. It begins now, " +
          "or after Last-Event-ID; where it begins now, an `id` without an event comes first, to come back to. It ends " +
          "with the key, or when its reader falls too far behind. A comment comes at least every 15 seconds. An id that is " +
          "not of an event of the organization, or of one that is not kept any more, is 422. Too far behind is more than " +
          "1,000 events or 1 MiB."
      ),
    HttpApiEndpoint.get("listAllReplays", `${PATH}/replays`, {
      query: pageParameters.fields,
      success: ReplayPage,
      error: UnprocessableContent
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List the organization's replays")
      .annotate(
        OpenApi.Description,
        "The replays of ranges of all endpoints, newest first, and how far each has come."
      ),
    HttpApiEndpoint.get("readReplay", `${PATH}/replays/:replay_id`, {
      params: { replay_id: id("The replay's id") },
      success: ReplayView,
      error: NotFound
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Summary, "Read a replay")
      .annotate(OpenApi.Description, "How far a replay of a range has come."),
    HttpApiEndpoint.get("getEndpoint", `${PATH}/:endpoint_id`, {
      params: endpointPath,
      success: EndpointView,
      error: NotFound
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Summary, "Read a webhook endpoint")
      .annotate(OpenApi.Description, "An endpoint without its secret; a deleted one too."),
    HttpApiEndpoint.patch("updateEndpoint", `${PATH}/:endpoint_id`, {
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
          "dead, and what would come until the endpoint is enabled again; a replay sends it then. `event_types` and " +
          "`workspace_ids` hold for what is published from then on. 409 `endpoint_inactive` for a deleted one, `endpoint_limit_reached` " +
          "where `active` would make an eleventh."
      ),
    HttpApiEndpoint.delete("deleteEndpoint", `${PATH}/:endpoint_id`, {
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
      ),
    HttpApiEndpoint.post("rotateSecret", `${PATH}/:endpoint_id/rotate-secret`, {
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
      ),
    HttpApiEndpoint.post("testEndpoint", `${PATH}/:endpoint_id/test`, {
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
      ),
    HttpApiEndpoint.post("enableEndpoint", `${PATH}/:endpoint_id/enable`, {
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
      ),
    HttpApiEndpoint.post("startReplay", `${PATH}/:endpoint_id/replay`, {
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
      ),
    HttpApiEndpoint.get("listReplays", `${PATH}/:endpoint_id/replays`, {
      params: endpointPath,
      query: pageParameters.fields,
      success: ReplayPage,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List an endpoint's replays")
      .annotate(
        OpenApi.Description,
        "The replays of ranges of an endpoint, newest first, and how far each has come; of a deleted endpoint too."
      ),
    HttpApiEndpoint.get("listDeliveries", `${PATH}/:endpoint_id/deliveries`, {
      params: endpointPath,
      query: deliveryListParameters.fields,
      success: DeliveryList,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Transform, documentParameters(deliveryListParameters.docs))
      .annotate(OpenApi.Summary, "List an endpoint's deliveries")
      .annotate(
        OpenApi.Description,
        "The deliveries of an endpoint, the 50 most recent first, with response codes and errors. Each comes with its 20 " +
          "newest attempts. A page is looked for among 10,000 deliveries: where a filter passes few, it may have " +
          "fewer items than `limit`, or none, and a `next_cursor` all the same."
      ),
    HttpApiEndpoint.get("getDelivery", `${PATH}/:endpoint_id/deliveries/:delivery_id`, {
      params: deliveryPath,
      success: DeliveryView,
      error: NotFound
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Summary, "Read a delivery")
      .annotate(OpenApi.Description, "One delivery of an endpoint with its newest attempts, however long ago it was."),
    HttpApiEndpoint.post("replayDelivery", `${PATH}/:endpoint_id/deliveries/:delivery_id/replay`, {
      params: deliveryPath,
      payload: NewDeliveryReplay,
      success: DeliveryView.pipe(HttpApiSchema.status(202)),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
      .annotate(OpenApi.Summary, "Send a delivery again")
      .annotate(
        OpenApi.Description,
        "Sends the same event again, under the same id. A dead or delivered delivery starts over; a pending one is due " +
          "now. Earlier attempts stay. It works at a disabled endpoint, too, so that a receiver can be tried before it is " +
          "enabled: there it is sent once. The delivery of a deleted endpoint is sent through another, which `endpoint_id` " +
          "names: that endpoint gets the event as a delivery of its own, which is the answer, whether or not it has had " +
          "it before. Without one it is 409 `endpoint_inactive`, and so is one that is not active; 409 " +
          "`endpoint_not_subscribed` where it does not take that kind of event, or none of that workspace."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Organization webhooks")
  .annotate(OpenApi.Description, "Endpoints that receive signed, retried and replayable events") {}
