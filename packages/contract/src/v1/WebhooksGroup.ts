/** Organization webhooks. Spec: Endpoints, Organization webhooks; Events. */
import { DeadReason, DeliveryState, EndpointStatus } from "@agent-platform/webhooks"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WebhookEventType } from "../webhookEvents.ts"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { bounded, maybe, orElse, text, time } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

/** The longest URL of an endpoint, in characters. */
export const URL_LENGTH_MAX = 2_048

/** The longest description of an endpoint, in characters. */
export const ENDPOINT_DESCRIPTION_LENGTH_MAX = 500

const eventTypes = Schema.Array(WebhookEventType).annotate({
  description: "The kinds of events to send; empty for all",
  examples: [["run.succeeded", "run.paused"]]
})

/** The body that registers an endpoint. */
export const NewEndpoint = wire(
  {
    url: bounded("HTTPS on a publicly resolvable host", 1, URL_LENGTH_MAX),
    eventTypes: orElse(eventTypes.annotate({ default: [] }), []),
    description: maybe(bounded("What the endpoint is for", 0, ENDPOINT_DESCRIPTION_LENGTH_MAX))
  },
  {
    identifier: "NewEndpoint",
    description: "An endpoint to register",
    examples: [{ url: "https://example.com/hooks", event_types: ["run.succeeded", "run.failed"] }]
  }
)

const endpointFields = {
  id: text("The endpoint's id"),
  url: text("Where events are sent"),
  eventTypes: Schema.Array(Schema.String).annotate({ description: "The kinds of events that are sent; empty for all" }),
  description: Schema.NullOr(Schema.String).annotate({ description: "What the endpoint is for" }),
  status: EndpointStatus.annotate({ description: "Only an active endpoint is sent anything" }),
  disabledReason: Schema.NullOr(Schema.String).annotate({ description: "Why it is disabled" }),
  createdAt: time("When it was registered")
}

/** An endpoint as a list shows it: without its secret. */
export const EndpointView = wire(endpointFields, {
  identifier: "Endpoint",
  description: "A webhook endpoint without its secret"
})

/** An endpoint as its registration shows it: with its secret, this once. */
export const RegisteredEndpointView = wire(
  {
    ...endpointFields,
    secret: Schema.NullOr(Schema.String).annotate({
      description: "The signing secret. Shown this once: null when the request is repeated under its Idempotency-Key"
    })
  },
  { identifier: "RegisteredEndpoint", description: "A new webhook endpoint with its secret" }
)

/** A page of endpoints. */
export const EndpointPage = wire(
  {
    items: Schema.Array(EndpointView).annotate({ description: "Newest first, deleted ones left out" }),
    nextCursor: Schema.NullOr(Schema.String).annotate({ description: "For the next page; null at the end" })
  },
  { identifier: "EndpointPage", description: "Webhook endpoints, newest first" }
)

/** A delivery with all of its attempts. */
export const DeliveryView = wire(
  {
    deliveryId: text("The delivery's id, unique within its endpoint: that of the event"),
    eventId: text("The event's id"),
    eventType: text("The kind of event"),
    state: DeliveryState.annotate({ description: "pending until it settles" }),
    stateReason: Schema.NullOr(DeadReason).annotate({ description: "Why it is dead" }),
    attemptCount: Schema.Int.annotate({ description: "How often it was sent" }),
    nextAttemptAt: Schema.NullOr(time("When it is sent next; null unless pending")),
    createdAt: time("When it came to be"),
    deliveredAt: Schema.NullOr(time("When it arrived")),
    attempts: Schema.Array(
      wire(
        {
          number: Schema.Int.annotate({ description: "1 for the first" }),
          attemptedAt: time("When it was sent"),
          durationMs: Schema.Int.annotate({ description: "How long that took, in milliseconds" }),
          responseCode: Schema.NullOr(Schema.Int).annotate({
            description: "The status of the answer; null when there was none"
          }),
          error: Schema.NullOr(Schema.String).annotate({ description: "Why there was no answer" }),
          responseExcerpt: Schema.NullOr(Schema.String).annotate({
            description: "The beginning of the answer, up to 1 KiB"
          }),
          remoteIp: Schema.NullOr(Schema.String).annotate({ description: "The address it was sent to" })
        },
        { identifier: "Attempt", description: "One try" }
      )
    ).annotate({ description: "Every try, oldest first" })
  },
  { identifier: "Delivery", description: "One event on its way to one endpoint" }
)

/** The most recent deliveries of an endpoint. */
export const DeliveryList = wire(
  {
    items: Schema.Array(DeliveryView).annotate({ description: "Newest first, at most 50" })
  },
  { identifier: "DeliveryList", description: "The 50 most recent deliveries" }
)

const endpointPath = { endpoint_id: text("The endpoint's id") }

/** The group behind `/api/v1/org/webhooks`. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("registerEndpoint", "/api/v1/org/webhooks", {
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
        "Registers an HTTPS endpoint for the organization's events and shows its signing secret, this once. An organization " +
          "holds at most 10 active endpoints."
      ),
    HttpApiEndpoint.get("listEndpoints", "/api/v1/org/webhooks", {
      query: pageParameters.fields,
      success: EndpointPage
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List webhook endpoints")
      .annotate(OpenApi.Description, "The organization's endpoints, newest first; never their secrets."),
    HttpApiEndpoint.get("listDeliveries", "/api/v1/org/webhooks/:endpoint_id/deliveries", {
      params: endpointPath,
      success: DeliveryList,
      error: NotFound
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:read" })
      .annotate(OpenApi.Summary, "List an endpoint's deliveries")
      .annotate(OpenApi.Description, "The 50 most recent deliveries of an endpoint, with response codes and errors."),
    HttpApiEndpoint.post("replayDelivery", "/api/v1/org/webhooks/:endpoint_id/deliveries/:delivery_id/replay", {
      params: { ...endpointPath, delivery_id: text("The delivery's id") },
      success: DeliveryView.pipe(HttpApiSchema.status(202)),
      error: [NotFound, Conflict]
    })
      .annotate(Access, { reach: "organization_key", scope: "webhooks:write" })
      .annotate(OpenApi.Summary, "Send a delivery again")
      .annotate(
        OpenApi.Description,
        "Sends the same event again, under the same id. A dead or delivered delivery starts over; a pending one is due now."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Organization webhooks",
      description: "Endpoints that receive signed, retried and replayable events"
    })
  ) {}
