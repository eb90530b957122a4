import { type OrganizationId, Uuid } from "@agent-platform/kernel"
import { type DateTime, Schema } from "effect"

export const EndpointId = Uuid.pipe(Schema.brand("EndpointId"))
export type EndpointId = typeof EndpointId.Type

export const EndpointStatus = Schema.Literals(["active", "disabled", "deleted"])
export type EndpointStatus = typeof EndpointStatus.Type

/** How many active endpoints an organization holds at most. Spec: Limits, active webhook endpoints per org. */
export const ACTIVE_ENDPOINTS_MAX = 10

/** Where an organization wants its events. Spec: Webhook endpoint (organization). */
export interface Endpoint {
  readonly id: EndpointId
  readonly organizationId: OrganizationId
  readonly url: string
  /** The kinds it receives; none named means all. Spec: Events 4. */
  readonly eventTypes: ReadonlyArray<string>
  readonly description: string | null
  readonly status: EndpointStatus
  readonly disabledReason: string | null
  /** The signing secret, sealed for `secretPlace(id)`. */
  readonly sealedSecret: string
  readonly createdAt: DateTime.Utc
}

/** The place that an endpoint's secret is sealed for. */
export const secretPlace = (id: EndpointId): string => `webhook_endpoint/${id}/secret`

/** Whether the endpoint subscribed to this kind of event. Spec: Events 1 and 4. */
export const subscribes = (endpoint: Endpoint, type: string): boolean =>
  endpoint.eventTypes.length === 0 || endpoint.eventTypes.includes(type)

/** No such endpoint in the caller's organization. */
export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("EndpointNotFound", {}) {}

/** The organization holds as many active endpoints as it may. */
export class EndpointLimitReached extends Schema.TaggedError<EndpointLimitReached>()("EndpointLimitReached", {
  limit: Schema.Int
}) {}

/** The endpoint was deleted; nothing is sent to it any more. */
export class EndpointInactive extends Schema.TaggedError<EndpointInactive>()("EndpointInactive", {}) {}
