import { isByName, type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { Context, DateTime, Schema } from "effect"

export const EndpointId = Uuid.pipe(Schema.brand("EndpointId"))
export type EndpointId = typeof EndpointId.Type

export const EndpointStatus = Schema.Literals(["active", "disabled", "deleted"])
export type EndpointStatus = typeof EndpointStatus.Type

/** How many active endpoints an organization holds at most. Spec: Limits 1. */
export const ACTIVE_ENDPOINTS_MAX = 10

/** The bound in force. A host that embeds the domain can provide another. */
export const ActiveEndpointsMax = Context.Reference<number>("@agent-platform/webhooks/ActiveEndpointsMax", {
  defaultValue: () => ACTIVE_ENDPOINTS_MAX
})

/** How many secrets sign for an endpoint at most: the current one, and those before it whose grace is not over. */
export const LIVE_SECRETS_MAX = 5

/** How long a replaced secret goes on signing at most, in seconds: a week. */
export const GRACE_SECONDS_MAX = 604_800

/** A secret that was replaced and signs beside the current one until it expires. */
export interface RetiringSecret {
  /** Sealed for `secretPlace` of its endpoint. */
  readonly sealed: string
  readonly expiresAt: DateTime.Utc
}

/** How many workspaces an endpoint names at most. */
export const ENDPOINT_WORKSPACES_MAX = 100

/** Where an organization wants its events. Spec: Webhook endpoint. */
export interface Endpoint {
  readonly id: EndpointId
  readonly organizationId: OrganizationId
  readonly url: string
  /** The kinds it receives; none named means all but those that are sent by name. Spec: Events 4. */
  readonly eventTypes: ReadonlyArray<string>
  /** The workspaces whose events it receives; none named means all, and events about the organization itself as well. */
  readonly workspaceIds: ReadonlyArray<WorkspaceId>
  readonly description: string | null
  readonly status: EndpointStatus
  readonly disabledReason: string | null
  /** The current signing secret, sealed for `secretPlace(id)`; empty once the endpoint is deleted. */
  readonly sealedSecret: string
  /** Secrets from before, newest first. Some may have expired already: `liveSecrets` says which sign. */
  readonly retiringSecrets: ReadonlyArray<RetiringSecret>
  readonly createdAt: DateTime.Utc
}

/** The place that an endpoint's secret is sealed for. */
export const secretPlace = (id: EndpointId): string => `webhook_endpoint/${id}/secret`

/** The part of an event that decides who receives it. */
export interface EventSubject {
  readonly type: string
  /** The workspace it is about; null for an event about the organization itself. */
  readonly workspaceId: WorkspaceId | null
}

/** Whether the endpoint subscribed to events of this kind about this workspace. Spec: Events 1 and 4. */
export const subscribes = (
  { eventTypes, workspaceIds }: Pick<Endpoint, "eventTypes" | "workspaceIds">,
  { type, workspaceId }: EventSubject
): boolean =>
  (eventTypes.length === 0 ? !isByName(type) : eventTypes.includes(type)) &&
  (workspaceIds.length === 0 || (workspaceId !== null && workspaceIds.includes(workspaceId)))

/** The sealed secrets that sign at this time: the current one, then those from before whose grace is not over. */
export const liveSecrets = ({ retiringSecrets, sealedSecret }: Endpoint, now: DateTime.Utc): ReadonlyArray<string> => {
  const retiring = retiringSecrets.filter(({ expiresAt }) => DateTime.isGreaterThan(expiresAt, now))
  return [sealedSecret, ...retiring.map(({ sealed }) => sealed)]
}

/** Every sealed secret that the endpoint keeps, whether or not it still signs, the current one first; none once it is deleted. */
export const keptSecrets = (endpoint: Endpoint): ReadonlyArray<string> =>
  [endpoint.sealedSecret, ...endpoint.retiringSecrets.map((one) => one.sealed)].filter((sealed) => sealed !== "")

/** The endpoint with `resealed` in the place of a secret that it keeps as `sealed`. */
const withResealed = (endpoint: Endpoint, sealed: string, resealed: string): Endpoint => ({
  ...endpoint,
  sealedSecret: endpoint.sealedSecret === sealed ? resealed : endpoint.sealedSecret,
  retiringSecrets: endpoint.retiringSecrets.map((one) => (one.sealed === sealed ? { ...one, sealed: resealed } : one))
})

/** The `disabledReason` of an endpoint that somebody disabled. */
export const DISABLED_BY_REQUEST = "disabled_by_request"

/** The endpoint once it is switched off, for this reason. Nothing new is sent to it until it is enabled. */
const disabled = (endpoint: Endpoint, reason: string): Endpoint => ({
  ...endpoint,
  status: "disabled",
  disabledReason: reason
})

/** The endpoint switched on. */
const enabled = (endpoint: Endpoint): Endpoint => ({ ...endpoint, status: "active", disabledReason: null })

/** The endpoint deleted: its history is kept, its secrets are not. Spec: Delivery and replay 5. */
const deleted = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  status: "deleted",
  disabledReason: null,
  sealedSecret: "",
  retiringSecrets: []
})

/**
 * The endpoint with a new current secret. The one it replaces signs on for `graceSeconds`, and none from before outlives
 * that; beyond `LIVE_SECRETS_MAX` the oldest goes at once.
 */
const rotated = (
  endpoint: Endpoint,
  sealedSecret: string,
  options: { readonly graceSeconds: number; readonly now: DateTime.Utc }
): Endpoint => {
  const graceEnds = DateTime.add(options.now, { seconds: options.graceSeconds })
  const retiring = [{ sealed: endpoint.sealedSecret, expiresAt: graceEnds }, ...endpoint.retiringSecrets]
    .map((one) => ({ ...one, expiresAt: DateTime.min(one.expiresAt, graceEnds) }))
    .filter(({ expiresAt }) => DateTime.isGreaterThan(expiresAt, options.now))
  return { ...endpoint, sealedSecret, retiringSecrets: retiring.slice(0, LIVE_SECRETS_MAX - 1) }
}

/** The changes of an endpoint, as in `Endpoint.disabled(endpoint, reason)`. */
export const Endpoint = { deleted, disabled, enabled, rotated, withResealed }

/** No such endpoint in the caller's organization. */
export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("EndpointNotFound", {}) {}

/** The organization holds as many active endpoints as it may. */
export class EndpointLimitReached extends Schema.TaggedError<EndpointLimitReached>()("EndpointLimitReached", {
  limit: Schema.Int
}) {}

/** Another endpoint's delivery cannot go to this one: it does not subscribe to that kind of event, or not for that workspace. */
export class EndpointNotSubscribed extends Schema.TaggedError<EndpointNotSubscribed>()("EndpointNotSubscribed", {
  eventType: Schema.String
}) {}

/** The endpoint is deleted, or disabled where an active one is needed. */
export class EndpointInactive extends Schema.TaggedError<EndpointInactive>()("EndpointInactive", {
  status: EndpointStatus
}) {}
