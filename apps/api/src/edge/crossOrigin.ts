/** Cross-origin rules for browsers: the dashboard may do everything, listed origins may call with a key, others nothing. */
import type { Headers } from "effect/http"

/** Request headers that pages may send in addition to the simple ones. */
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

/** Response headers that pages may read in addition to the simple ones. */
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

/** How long a browser may remember what it may send. */
const PREFLIGHT_SECONDS = 600

/**
 * Makes functions for the cross-origin headers of a service whose dashboard is at `dashboardUrl`. Pages of `origins` may call as
 * well, with a key of their own and never with a person's cookie.
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
    /** The headers of any response. */
    headersOf: ({ origin }: Headers.Headers): Record<string, string> => {
      if (!isAllowed(origin)) return {}
      return origin === dashboard ? { ...toDashboard } : { ...exposed, "access-control-allow-origin": origin }
    },
    /** The headers of the response to OPTIONS, by which a browser asks whether it may use one of `methods`. */
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

/** The Vary header. Responses differ by origin, so caches must keep them apart. */
export const varying = (others: string | undefined): string => (others === undefined ? "Origin" : `${others}, Origin`)
