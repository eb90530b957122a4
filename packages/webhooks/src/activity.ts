import { type Actor, type FeedPayload, recordActivity } from "@agent-platform/kernel"
import type { Endpoint } from "./Endpoint.ts"

/** The host of an endpoint's URL. What follows it may hold a token, so feeds show the host alone. */
export const hostOf = (endpoint: Endpoint): string =>
  /^[a-z]+:\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(endpoint.url)?.[1] ?? "an unknown host"

/** The acts on an endpoint, recorded as `webhook_endpoint.<act>`, and the words for each in a summary. */
const WORDS = {
  created: "registered",
  updated: "changed",
  enabled: "enabled",
  disabled: "disabled",
  deleted: "deleted",
  secret_rotated: "rotated the secret of",
  tested: "sent a test event to",
  replayed: "replayed deliveries of"
} as const

/** Records in the caller's transaction that `actor` did this to the endpoint. `payload` goes beside the host. */
export const recordEndpointAct = (
  actor: Actor,
  endpoint: Endpoint,
  act: keyof typeof WORDS,
  payload: FeedPayload = {}
) =>
  recordActivity({
    organizationId: endpoint.organizationId,
    workspaceId: null,
    action: `webhook_endpoint.${act}`,
    actor,
    summary: `${actor.label} ${WORDS[act]} the webhook endpoint at ${hostOf(endpoint)}`,
    resourceType: "webhook_endpoint",
    resourceId: endpoint.id,
    payload: { host: hostOf(endpoint), ...payload }
  })
