/** Cross-origin rules for browsers: everything from the dashboard, calls with a key from listed origins, nothing from elsewhere. */
import type { Headers } from "effect/http"

/** Request headers of pages beside the simple ones. */
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Last-Event-ID",
  "traceparent",
  "X-API-Key",
  "X-CSRF-Token",
  "X-Request-Id",
  "X-Workspace-Id"
]

/** Response headers that pages may read beside the simple ones. */
const RESPONSE_HEADERS = [
  "Allow",
  "Deprecation",
  "ETag",
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

/**
 * The headers of answers to a request, for a service whose dashboard is at `dashboardUrl`. Pages of `origins` may call as well, with
 * a key of their own and never with a person's cookie.
 */
export const makeCrossOrigin = (dashboardUrl: string, origins: ReadonlyArray<string>) => {
  const dashboard = new URL(dashboardUrl).origin
  const others = new Set(origins)
  const exposed = { "access-control-expose-headers": RESPONSE_HEADERS.join(", ") }
  const toDashboard = {
    ...exposed,
    "access-control-allow-origin": dashboard,
    "access-control-allow-credentials": "true"
  }
  const isAllowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (origin === dashboard || others.has(origin))
  return {
    /** Those of any answer. */
    headersOf: ({ origin }: Headers.Headers): Record<string, string> => {
      if (!isAllowed(origin)) return {}
      return origin === dashboard ? { ...toDashboard } : { ...exposed, "access-control-allow-origin": origin }
    },
    /** Those of the answer to OPTIONS by which a browser asks whether it may use one of `methods`. */
    preflightHeadersOf: (headers: Headers.Headers, methods: ReadonlyArray<string>): Readonly<Record<string, string>> =>
      isAllowed(headers["origin"]) && headers["access-control-request-method"] !== undefined
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
