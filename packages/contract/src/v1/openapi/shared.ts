/** Parameters and headers that hold for many operations. */
import { type Json, ref } from "./shapes.ts"

/** The parameters that many operations have. */
export const parameters = {
  WorkspaceId: {
    name: "X-Workspace-Id",
    in: "header",
    required: false,
    description:
      "The workspace that the request is about. An organization key must name one where the operation concerns a " +
      "workspace, and so must a session; a workspace key may name its own. An empty one counts as absent.",
    schema: { type: "string", pattern: "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})?$" }
  },
  CsrfToken: {
    name: "X-CSRF-Token",
    in: "header",
    required: false,
    description: "Needed with a session's cookie, not with a key: the `csrf_token` of `GET /api/v1/auth/me`.",
    schema: { type: "string" }
  },
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "The caller's own id for the request: up to 128 visible ASCII characters. Another is made when it is " +
      "missing or has another form.",
    schema: { type: "string" }
  }
}

/** The headers that many answers have. */
export const headers = {
  RequestId: { description: "The id of the request, on every response", schema: { type: "string" } },
  RetryAfter: { description: "Seconds after which a repetition makes sense", schema: { type: "integer" } },
  RateLimitPolicy: {
    description:
      'The limits that count the request, such as `"api_key";q=600;w=60`. On every answer to a key that has one',
    schema: { type: "string" }
  },
  RateLimit: {
    description: 'The requests left, such as `"api_key";r=599;t=1`. On every answer to a key that has one',
    schema: { type: "string" }
  },
  WwwAuthenticate: { description: "How to authenticate, by RFC 6750", schema: { type: "string" } }
}

/** The headers of an answer with this status. */
export const headersOf = (status: string): Json => ({
  "X-Request-Id": ref("headers/RequestId"),
  ...(status === "401" ? { "WWW-Authenticate": ref("headers/WwwAuthenticate") } : {}),
  ...(status === "429" || status === "503" ? { "Retry-After": ref("headers/RetryAfter") } : {}),
  ...(status === "429"
    ? { "RateLimit-Policy": ref("headers/RateLimitPolicy"), RateLimit: ref("headers/RateLimit") }
    : {})
})
