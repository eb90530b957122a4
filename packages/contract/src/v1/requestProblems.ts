import type { ProblemRow } from "./callerProblems.ts"

/** Problems of any request, and problems of the platform. */
export const requestProblems = {
  malformed_request: {
    status: 400,
    title: "Malformed request",
    explanation:
      "The request is not well-formed HTTP, its body is broken, or its address holds an invalid percent-encoding."
  },
  malformed_json: {
    status: 400,
    title: "Malformed JSON",
    explanation: "The body is missing, is not UTF-8, is not JSON, or is nested too deep."
  },
  not_found: {
    status: 404,
    title: "Not found",
    explanation:
      "There is nothing here that the caller can see: it never existed, is gone, or belongs to another workspace."
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    explanation: "The address exists and takes other methods. The header Allow lists them."
  },
  not_acceptable: {
    status: 406,
    title: "Not acceptable",
    explanation: "The header Accept admits none of the formats in which this resource exists."
  },
  request_timeout: {
    status: 408,
    title: "Request timeout",
    retryable: true,
    explanation: "The request did not arrive in time."
  },
  idempotency_in_progress: {
    status: 409,
    title: "Request in progress",
    retryable: true,
    retryAfterSeconds: 1,
    explanation: "The request that first used this Idempotency-Key has not finished yet."
  },
  body_too_large: {
    status: 413,
    title: "Body too large",
    explanation: "The body is larger than this operation takes, or comes in too many pieces."
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    explanation:
      "The body must be JSON in UTF-8, sent as Content-Type: application/json and without a content encoding. An inbound URL takes forms, too."
  },
  validation_failed: {
    status: 422,
    title: "Validation failed",
    explanation: "The request breaks rules of this operation. The member errors lists those that were found."
  },
  unknown_parameter: {
    status: 422,
    title: "Unknown parameter",
    explanation: "The body or the query holds members that this operation does not know. They may be misspelt."
  },
  cursor_invalid: {
    status: 422,
    title: "Cursor invalid",
    explanation:
      "The cursor was altered, or made by another operation or for another workspace. Start again without one."
  },
  cursor_filter_mismatch: {
    status: 422,
    title: "Cursor does not match the filters",
    explanation: "The cursor was made with other filters. Send the same filters with every cursor."
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency key reused",
    explanation: "The Idempotency-Key was used before, with another body."
  },
  headers_too_large: {
    status: 431,
    title: "Headers too large",
    explanation: "The request's address and headers together are larger than 16 KiB."
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    retryable: true,
    explanation:
      "The fault is ours; the log has its reason under the request id. Quote the request id when you report it."
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    retryable: true,
    retryAfterSeconds: 2,
    explanation: "The database or what the operation asks is out of reach, or the answer took too long. Try again."
  }
} as const satisfies Readonly<Record<string, ProblemRow>>
