import type { ProbeOutcome, Provider } from "@agent-platform/keys"

/** An answer among the fixtures, and what it says about the key. */
export type Row = readonly [fixture: string, expected: ProbeOutcome]

/** Outcomes in short. */
export const rejected = (providerStatus: number, providerCode: string | null): ProbeOutcome => ({
  type: "rejected",
  providerStatus,
  providerCode
})
export const unreachable = (providerStatus: number | null, providerCode: string | null): ProbeOutcome => ({
  type: "unreachable",
  providerStatus,
  providerCode
})
export const unsupported = (providerStatus: number, providerCode: string | null): ProbeOutcome => ({
  type: "unsupported",
  providerStatus,
  providerCode
})
const exhausted = (providerStatus: number, providerCode: string | null): ProbeOutcome => ({
  type: "quota_exhausted",
  providerStatus,
  providerCode
})
const limited = (providerStatus: number, providerCode: string, retryAfterSeconds?: number): ProbeOutcome => ({
  type: "rate_limited",
  providerStatus,
  providerCode,
  retryAfterSeconds
})

/** Those that are asked for their models. Google is asked for a token instead about a key of `vertex`: see vertex.test.ts. */
export type Listing = Exclude<Provider, "vertex">

/** The answers of each provider. */
export const ANSWERS: Readonly<Record<Listing, ReadonlyArray<Row>>> = {
  openai: [
    ["openai/models", { type: "accepted" }],
    ["openai/invalid_api_key", rejected(401, "invalid_api_key")],
    ["openai/account_deactivated", rejected(401, "account_deactivated")],
    ["openai/forbidden", rejected(403, "project_archived")],
    ["openai/missing_scopes_401", unsupported(401, "invalid_request_error")],
    ["openai/missing_scopes_403", unsupported(403, "missing_scope")],
    ["openai/unsupported_country", unreachable(403, "unsupported_country_region_territory")],
    ["openai/insufficient_quota", exhausted(429, "insufficient_quota")],
    ["openai/insufficient_quota_old", exhausted(429, "insufficient_quota")],
    ["openai/rate_limit_exceeded", limited(429, "rate_limit_exceeded", 20)],
    ["openai/server_error", unreachable(500, "server_error")]
  ],
  anthropic: [
    ["anthropic/models", { type: "accepted" }],
    ["anthropic/authentication_error", rejected(401, "authentication_error")],
    ["anthropic/permission_error", rejected(403, "permission_error")],
    ["anthropic/forbidden", unreachable(403, "forbidden")],
    ["anthropic/organization_disabled", rejected(400, "invalid_request_error")],
    ["anthropic/credit_balance", exhausted(400, "invalid_request_error")],
    ["anthropic/billing_error", exhausted(402, "billing_error")],
    ["anthropic/rate_limit_error", limited(429, "rate_limit_error", 31)],
    ["anthropic/overloaded_error", unreachable(529, "overloaded_error")]
  ],
  google: [
    ["google/models", { type: "accepted" }],
    ["google/api_key_invalid", rejected(400, "API_KEY_INVALID")],
    ["google/reported_as_leaked", rejected(403, "PERMISSION_DENIED")],
    ["google/consumer_suspended", rejected(403, "CONSUMER_SUSPENDED")],
    ["google/service_disabled", rejected(403, "SERVICE_DISABLED")],
    ["google/api_key_service_blocked", rejected(403, "API_KEY_SERVICE_BLOCKED")],
    ["google/location_not_supported", unreachable(400, "FAILED_PRECONDITION")],
    ["google/resource_exhausted_minute", limited(429, "RESOURCE_EXHAUSTED", 35)],
    ["google/resource_exhausted_plain", limited(429, "RESOURCE_EXHAUSTED")],
    ["google/resource_exhausted_day", exhausted(429, "RESOURCE_EXHAUSTED")]
  ],
  azure: [
    ["azure/models", { type: "accepted" }],
    ["azure/access_denied", rejected(401, null)],
    ["azure/key_auth_disabled", rejected(403, "AuthenticationTypeDisabled")],
    ["azure/firewall", unreachable(403, "AccessDenied")],
    ["azure/public_access_disabled", unreachable(403, null)],
    ["azure/not_found", unsupported(404, null)],
    ["azure/rate_limit", limited(429, "RateLimitReached", 26)],
    ["azure/insufficient_quota", exhausted(429, "insufficient_quota")]
  ],
  bedrock: [
    ["bedrock/models", { type: "accepted" }],
    ["bedrock/invalid_key", rejected(403, "AccessDeniedException")],
    ["bedrock/unrecognized", rejected(403, "UnrecognizedClientException")],
    ["bedrock/not_authorized", unsupported(403, "AccessDeniedException")],
    ["bedrock/throttling", limited(429, "ThrottlingException")],
    ["bedrock/quota", exhausted(400, "ServiceQuotaExceededException")],
    ["bedrock/unavailable", unreachable(503, "ServiceUnavailableException")]
  ],
  openai_compatible: [
    ["openai_compatible/unauthorized", rejected(401, null)],
    ["openai_compatible/not_found", unsupported(404, null)],
    ["openai_compatible/method_not_allowed", unsupported(405, null)],
    ["openai/insufficient_quota", exhausted(429, "insufficient_quota")]
  ]
}
