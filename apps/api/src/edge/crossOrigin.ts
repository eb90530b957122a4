/** Cross-origin rules for browsers: everything from the dashboard, nothing from anywhere else. */
import type { Headers } from "effect/http"

/** Request headers of the dashboard beside the simple ones. */
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "Last-Event-ID",
  "traceparent",
  "X-API-Key",
  "X-CSRF-Token",
  "X-Request-Id",
  "X-Workspace-Id"
]

/** Response headers that the dashboard may read beside the simple ones. */
const RESPONSE_HEADERS = [
  "Allow",
  "Deprecation",
  "Idempotency-Replayed",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-Request-Id"
]

/** How long a browser need not ask again what it may send. */
const PREFLIGHT_SECONDS = 600

/** The headers of answers to a request, for a service whose dashboard is at `dashboardUrl`. */
export const makeCrossOrigin = (dashboardUrl: string) => {
  const dashboard = new URL(dashboardUrl).origin
  const isAllowed = (headers: Headers.Headers) => headers["origin"] === dashboard
  const allowed = { "access-control-allow-origin": dashboard, "access-control-allow-credentials": "true" }
  const exposed = { ...allowed, "access-control-expose-headers": RESPONSE_HEADERS.join(", ") }
  return {
    /** Those of any answer. */
    headersOf: (headers: Headers.Headers): Record<string, string> => (isAllowed(headers) ? { ...exposed } : {}),
    /** Those of the answer to OPTIONS by which a browser asks whether it may use one of `methods`. */
    preflightHeadersOf: (headers: Headers.Headers, methods: ReadonlyArray<string>): Readonly<Record<string, string>> =>
      isAllowed(headers) && headers["access-control-request-method"] !== undefined
        ? {
            "access-control-allow-methods": methods.join(", "),
            "access-control-allow-headers": REQUEST_HEADERS.join(", "),
            "access-control-max-age": String(PREFLIGHT_SECONDS)
          }
        : {}
  }
}

/** Answers differ by who asks, so caches keep them apart. */
export const varying = (others: string | undefined): string => (others === undefined ? "Origin" : `${others}, Origin`)
