/** Webhook endpoints, deliveries and replays as they cross the wire. Spec: Webhook endpoint; Delivery and replay. */
import {
  DeadReason,
  DeliveryState,
  ENDPOINT_WORKSPACES_MAX,
  EndpointStatus,
  GRACE_SECONDS_MAX,
  ReplaySelection,
  ReplayState,
  StopReason
} from "@agent-platform/webhooks"
import { DateTime, Schema } from "effect"
import { unnamedEvents, WebhookEventType } from "../webhookEvents.ts"
import {
  bounded,
  count,
  id,
  integer,
  maybe,
  nullableText,
  orElse,
  pageFields,
  text,
  textStream,
  time,
  uri
} from "./formats.ts"
import { cursorParameter, limitParameter, parameters } from "./queries.ts"
import { moment } from "./runList.ts"
import { wire } from "./wire.ts"

/** How long a rotated secret signs on by default: a day. */
export const GRACE_SECONDS_DEFAULT = 86_400

/** The longest URL of an endpoint, in characters. */
export const URL_LENGTH_MAX = 2_048

/** The longest description of an endpoint, in characters. */
export const ENDPOINT_DESCRIPTION_LENGTH_MAX = 500

/** As many kinds of events as there are. */
const EVENT_TYPES_MAX = WebhookEventType.literals.length

const endpointUrl = bounded(
  "Where events are sent: HTTPS on a publicly resolvable host, else 422 `url_not_public`",
  1,
  URL_LENGTH_MAX
)

const IF_EMPTY = `Empty for ${unnamedEvents.map((type) => `\`${type}\``).join(", ")}, and for nothing else`

const eventTypes = Schema.Array(WebhookEventType)
  .annotate({
    description: `The kinds of events to send. ${IF_EMPTY}: kinds of later versions are sent to endpoints that name them`,
    examples: [["run.succeeded", "run.paused"]]
  })
  .check(Schema.isMaxLength(EVENT_TYPES_MAX, { message: `must name at most ${EVENT_TYPES_MAX} kinds of events` }))

const workspaceIds = Schema.Array(id("A workspace of the organization"))
  .annotate({
    description:
      "The workspaces whose events to send, and no events about the organization itself, such as `webhook.disabled`. " +
      "Empty for all"
  })
  .check(
    Schema.isMaxLength(ENDPOINT_WORKSPACES_MAX, { message: `must name at most ${ENDPOINT_WORKSPACES_MAX} workspaces` })
  )

/** The body that registers an endpoint. */
export const NewEndpoint = wire(
  {
    url: endpointUrl,
    eventTypes: orElse(eventTypes.annotate({ default: [] }), []),
    workspaceIds: orElse(workspaceIds.annotate({ default: [] }), []),
    description: maybe(bounded("Purpose of the endpoint", 0, ENDPOINT_DESCRIPTION_LENGTH_MAX))
  },
  {
    identifier: "NewEndpoint",
    description: "An endpoint to register",
    examples: [{ url: "https://example.com/hooks", event_types: ["run.succeeded", "run.failed"] }]
  }
)

const endpointFields = {
  id: id("The endpoint's id"),
  url: uri("Where events are sent"),
  eventTypes: Schema.Array(Schema.String).annotate({ description: `The kinds of events that are sent. ${IF_EMPTY}` }),
  workspaceIds: Schema.Array(id("A workspace")).annotate({
    description: "The workspaces whose events are sent. Empty for all, and for events about the organization itself"
  }),
  description: nullableText("Purpose of the endpoint"),
  status: EndpointStatus.annotate({ description: "Only an active endpoint is sent anything" }),
  disabledReason: nullableText(
    "Why it is disabled: `disabled_by_request`, or `failing` after 120 hours of nothing but failures"
  ),
  createdAt: time("When it was registered")
}

/** An endpoint as a list shows it: without its secret. */
export const EndpointView = wire(endpointFields, {
  identifier: "Endpoint",
  description: "A webhook endpoint without its secret"
})

/** Changes of an endpoint; absent members stay as they are. */
export const NewEndpointDetails = wire(
  {
    url: Schema.optionalKey(endpointUrl),
    eventTypes: Schema.optionalKey(eventTypes),
    workspaceIds: Schema.optionalKey(workspaceIds),
    description: maybe(bounded("Purpose of the endpoint; null to remove it", 0, ENDPOINT_DESCRIPTION_LENGTH_MAX)),
    status: Schema.optionalKey(
      Schema.Literals(["active", "disabled"]).annotate({
        description:
          "Whether it is sent anything. Disabling makes waiting deliveries `dead` with `endpoint_disabled`; what is published before it is enabled again becomes `dead` in the same way"
      })
    )
  },
  {
    identifier: "NewEndpointDetails",
    description: "Changes of an endpoint; absent members stay as they are",
    examples: [{ event_types: ["run.failed"] }, { status: "disabled" }]
  }
)

/** The body that rotates a secret. */
export const NewSecret = wire(
  {
    graceSeconds: orElse(
      integer("How long the secret before signs as well, in seconds", 0, GRACE_SECONDS_MAX).annotate({
        default: GRACE_SECONDS_DEFAULT
      }),
      GRACE_SECONDS_DEFAULT
    )
  },
  { identifier: "NewSecret", description: "A rotation of a signing secret", examples: [{ grace_seconds: 3_600 }] }
)

/** The body that sends a test event. */
export const NewTestEvent = wire(
  {
    eventType: orElse(
      WebhookEventType.annotate({ description: "Of which kind there is to be a sample", default: "run.succeeded" }),
      "run.succeeded"
    )
  },
  { identifier: "NewTestEvent", description: "A test event to send", examples: [{ event_type: "run.paused" }] }
)

/** The body that replays one delivery. */
export const NewDeliveryReplay = wire(
  {
    endpointId: maybe(
      id(
        "The active endpoint of the organization to send the event to, signed with that endpoint's secret and kept among its " +
          "deliveries. When missing, the endpoint of this delivery; required if that endpoint is deleted"
      )
    )
  },
  {
    identifier: "NewDeliveryReplay",
    description: "A delivery to send again",
    examples: [{ endpoint_id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77" }]
  }
)

/** The body that replays a range of deliveries. */
export const NewReplay = wire(
  {
    since: time("Deliveries of events from this moment on"),
    until: maybe(time("Deliveries of events before this moment; now when missing, or when it lies ahead")),
    status: orElse(
      ReplaySelection.annotate({
        description: "dead: those that are dead. all: those in any state, delivered ones too",
        default: "dead"
      }),
      "dead"
    )
  },
  {
    identifier: "NewReplay",
    description: "A range of deliveries to send again",
    examples: [{ since: "2026-11-21T00:00:00.000Z", until: "2026-11-21T06:00:00.000Z" }],
    check: ({ since, until }) =>
      until != null && DateTime.isLessThanOrEqualTo(until, since)
        ? { path: ["until"], issue: "must be later than since" }
        : undefined
  }
)

/** An endpoint as its registration shows it: with its secret, this once. */
export const RegisteredEndpointView = wire(
  {
    ...endpointFields,
    secret: nullableText(
      "The signing secret. Shown this once: null when the request is repeated under its Idempotency-Key"
    )
  },
  { identifier: "RegisteredEndpoint", description: "A new webhook endpoint with its secret" }
)

/** An endpoint as the rotation of its secret shows it: with the new one, this once. */
export const RotatedEndpointView = wire(
  {
    ...endpointFields,
    secret: nullableText(
      "The new signing secret. Shown this once: null when the request is repeated under its Idempotency-Key"
    ),
    previousSecretExpiresAt: Schema.NullOr(time("Until when the secret before signs as well; null when it does not"))
  },
  { identifier: "RotatedEndpoint", description: "A webhook endpoint with its new secret" }
)

/** A page of endpoints. */
export const EndpointPage = wire(pageFields(EndpointView, "Newest first"), {
  identifier: "EndpointPage",
  description: "Webhook endpoints, newest first"
})

/** A delivery with its newest attempts. */
export const DeliveryView = wire(
  {
    deliveryId: id("The delivery's id, unique within its endpoint: that of the event"),
    eventId: id("The event's id"),
    eventType: text("The kind of event"),
    state: DeliveryState.annotate({ description: "pending until it settles as delivered or dead" }),
    stateReason: Schema.NullOr(DeadReason).annotate({ description: "Why it is dead" }),
    attemptCount: count("How often it was sent"),
    nextAttemptAt: Schema.NullOr(time("When it is sent next; null unless pending")),
    createdAt: time("When it came to be"),
    deliveredAt: Schema.NullOr(time("When it arrived")),
    attempts: Schema.Array(
      wire(
        {
          number: count("1 for the first"),
          attemptedAt: time("When it was sent"),
          durationMs: count("How long that took, in milliseconds"),
          responseCode: Schema.NullOr(Schema.Int).annotate({
            description: "The status of the answer; null when there was none"
          }),
          error: nullableText("Why there was no answer"),
          responseExcerpt: nullableText("The beginning of the answer, up to 1 KiB"),
          remoteIp: nullableText("The address it was sent to")
        },
        { identifier: "Attempt", description: "One try" }
      )
    ).annotate({ description: "The newest tries, at most 20, oldest first" })
  },
  { identifier: "Delivery", description: "One event on its way to one endpoint" }
)

/** A page of an endpoint's deliveries. */
export const DeliveryList = wire(pageFields(DeliveryView, "By the time of their events, newest first"), {
  identifier: "DeliveryList",
  description: "Deliveries of an endpoint"
})

/** A replay of a range, and how far it has come. */
export const ReplayView = wire(
  {
    id: id("The replay's id"),
    endpointId: id("The endpoint that deliveries are sent to again"),
    state: ReplayState.annotate({
      description:
        "pending: no worker has taken it up yet. running: deliveries of events up to `progressed_to` are due or " +
        "sent. completed: all of them are; whether they arrived, the deliveries say. stopped: the endpoint was " +
        "disabled or deleted meanwhile. The last two are final"
    }),
    stateReason: Schema.NullOr(StopReason).annotate({ description: "Why it stopped" }),
    since: time("Deliveries of events from this moment on"),
    until: time("Deliveries of events before this moment"),
    status: ReplaySelection.annotate({ description: "Which of them" }),
    replayedCount: count("How many deliveries were made due so far"),
    progressedTo: Schema.NullOr(time("Up to which event it has come; null before the first")),
    createdAt: time("When it was asked for"),
    startedAt: Schema.NullOr(time("When it began")),
    finishedAt: Schema.NullOr(time("When it ended"))
  },
  { identifier: "Replay", description: "A range of deliveries on its way to being sent again" }
)

/** The organization's events as they are published: each event's data is the envelope, byte for byte as it is sent. */
export const EventStream = textStream()

/** A page of replays. */
export const ReplayPage = wire(pageFields(ReplayView), {
  identifier: "ReplayPage",
  description: "Replays of ranges, newest first"
})

/** The filters and the page of a list of deliveries. */
export const deliveryListParameters = parameters({
  state: {
    schema: Schema.optionalKey(DeliveryState),
    doc: { description: "Only deliveries in this state", schema: { type: "string", enum: DeliveryState.literals } }
  },
  event_type: {
    schema: Schema.optionalKey(WebhookEventType),
    doc: {
      description: "Only deliveries of events of this kind",
      schema: { type: "string", enum: WebhookEventType.literals }
    }
  },
  since: moment("Only deliveries of events from this time on"),
  until: moment("Only deliveries of events before this time"),
  limit: limitParameter,
  cursor: cursorParameter
})

/** Which endpoints are listed, and the page of the list. */
export const endpointListParameters = parameters({
  include_deleted: {
    schema: Schema.optionalKey(Schema.Literals(["true", "false"])),
    doc: {
      description: "Whether deleted endpoints are listed, too. Missing: false",
      schema: { type: "boolean", default: false }
    }
  },
  limit: limitParameter,
  cursor: cursorParameter
})
