/** Metrics about requests. */
import { counter, gauge, histogram } from "@agent-platform/toolkit"

export const requests = counter(
  "agent_platform_http_requests_total",
  "Requests that were answered, by the template of their address (unknown for an address that is none of ours).",
  ["route", "method", "status"]
)

/**
 * It has no status, which would make too many series; the log and traces show the time of each status. Waits that callers asked
 * for are left out, since they say nothing about the service.
 */
export const requestDuration = histogram(
  "agent_platform_http_request_duration_seconds",
  "From the headers of a request to those of its answer, without waits that the caller asked for.",
  ["route", "method"],
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
)

export const requestsInFlight = gauge("agent_platform_http_requests_in_flight", "Requests that are not answered yet.")

export const rateLimitRefusals = counter(
  "agent_platform_rate_limit_refusals_total",
  "Requests that were refused with rate_limited, by whose limit it was (api_key, workspace).",
  ["limit"]
)

/** The reasons are those of the activity feed, and others for unknown credentials, which the feed does not have. */
export const credentialRefusals = counter(
  "agent_platform_credential_refusals_total",
  "Refused API keys, sessions and logins (api_key, session, login), by why.",
  ["credential", "reason"]
)

export const streamsOpen = gauge("agent_platform_streams_open", "Streams, waiting answers and records that are open.")

export const streamRefusals = counter(
  "agent_platform_stream_refusals_total",
  "Requests that were refused with too_many_streams, by whose limit it was (credential, workspace, organization, process, records).",
  ["limit"]
)

/** All metrics of requests, for the documentation. */
export const HTTP_MEASURES = [
  requests,
  requestDuration,
  requestsInFlight,
  rateLimitRefusals,
  credentialRefusals,
  streamsOpen,
  streamRefusals
]
