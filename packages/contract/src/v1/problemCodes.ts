/** Everything that can go wrong, as a closed set: one row a code, one page a code under the problem's `type`. */

interface ProblemKind {
  readonly status: number
  readonly title: string
  /** Whether the very same request may succeed later. */
  readonly retryable: boolean
  /** After how many seconds a repetition makes sense, where that is known. */
  readonly retryAfterSeconds?: number
  /** What happened and what the caller can do about it, in plain words. */
  readonly explanation: string
}

/** Every problem code with its status, title and explanation. */
export const PROBLEMS = {
  malformed_request: {
    status: 400,
    title: "Malformed request",
    retryable: false,
    explanation: "The request is not well-formed HTTP, or its address holds an invalid percent-encoding."
  },
  malformed_json: {
    status: 400,
    title: "Malformed JSON",
    retryable: false,
    explanation: "The body is missing, is not UTF-8, or is not JSON."
  },
  conflicting_credentials: {
    status: 400,
    title: "Conflicting credentials",
    retryable: false,
    explanation: "The headers Authorization and X-API-Key hold different values. Send one of them."
  },
  workspace_required: {
    status: 400,
    title: "Workspace required",
    retryable: false,
    explanation: "An organization key reaches every workspace of its organization. Name one in the header X-Workspace-Id."
  },
  oauth_state_invalid: {
    status: 400,
    title: "OAuth state invalid",
    retryable: false,
    explanation: "The login was not begun in this browser, or it took too long. Begin it again."
  },
  missing_credential: {
    status: 401,
    title: "Credential missing",
    retryable: false,
    explanation: "Send an API key as Authorization: Bearer <key> or as X-API-Key: <key>."
  },
  malformed_credential: {
    status: 401,
    title: "Credential malformed",
    retryable: false,
    explanation: "The credential is not an API key: its form or its checksum is wrong. It was probably cut or mistyped."
  },
  invalid_credential: {
    status: 401,
    title: "Credential invalid",
    retryable: false,
    explanation: "There is no such API key."
  },
  credential_expired: {
    status: 401,
    title: "Credential expired",
    retryable: false,
    explanation: "The API key has passed its expiry. Create another one."
  },
  credential_revoked: {
    status: 401,
    title: "Credential revoked",
    retryable: false,
    explanation: "The API key was revoked. Create another one."
  },
  credential_disabled: {
    status: 401,
    title: "Credential disabled",
    retryable: false,
    explanation: "The API key is switched off for now."
  },
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    retryable: false,
    explanation: "The signature of an inbound webhook does not match its body."
  },
  cap_reached: {
    status: 402,
    title: "Spend cap reached",
    retryable: false,
    explanation: "The workspace has spent what it may spend this month."
  },
  insufficient_scope: {
    status: 403,
    title: "Insufficient scope",
    retryable: false,
    explanation: "The API key lacks the scope that this operation demands."
  },
  org_key_required: {
    status: 403,
    title: "Organization key required",
    retryable: false,
    explanation: "This operation concerns the whole organization and takes an organization key only."
  },
  ip_not_allowed: {
    status: 403,
    title: "Address not allowed",
    retryable: false,
    explanation: "The API key may not be used from this network address."
  },
  csrf_failed: {
    status: 403,
    title: "CSRF check failed",
    retryable: false,
    explanation: "The header X-CSRF-Token is missing or belongs to another session."
  },
  not_invited: {
    status: 403,
    title: "Not invited",
    retryable: false,
    explanation: "Nobody has invited this e-mail address."
  },
  not_found: {
    status: 404,
    title: "Not found",
    retryable: false,
    explanation: "There is nothing here that the caller can see: it never existed, is gone, or belongs to another workspace."
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    retryable: false,
    explanation: "The address exists and takes other methods. The header Allow lists them."
  },
  not_acceptable: {
    status: 406,
    title: "Not acceptable",
    retryable: false,
    explanation: "The header Accept admits none of the formats in which this resource exists."
  },
  request_timeout: {
    status: 408,
    title: "Request timeout",
    retryable: true,
    explanation: "The request did not arrive in time."
  },
  session_busy: {
    status: 409,
    title: "Session busy",
    retryable: true,
    explanation: "The session has an unfinished run, and the request asked not to queue behind it."
  },
  interrupt_already_answered: {
    status: 409,
    title: "Question already answered",
    retryable: false,
    explanation: "The run's question was answered before."
  },
  interrupt_cancelled: {
    status: 409,
    title: "Question cancelled",
    retryable: false,
    explanation: "The session was cancelled, and the run's question with it."
  },
  run_not_finished: {
    status: 409,
    title: "Run not finished",
    retryable: true,
    explanation: "The run has not ended yet."
  },
  endpoint_limit_reached: {
    status: 409,
    title: "Endpoint limit reached",
    retryable: false,
    explanation: "The organization holds as many active webhook endpoints as it may. Delete one first."
  },
  endpoint_inactive: {
    status: 409,
    title: "Endpoint inactive",
    retryable: false,
    explanation: "The webhook endpoint was deleted. Nothing is sent to it any more."
  },
  idempotency_in_progress: {
    status: 409,
    title: "Request in progress",
    retryable: true,
    retryAfterSeconds: 1,
    explanation: "The request that first used this Idempotency-Key has not finished yet."
  },
  version_conflict: {
    status: 409,
    title: "Version conflict",
    retryable: false,
    explanation: "The resource has changed since the version named in If-Match. Read it again."
  },
  body_too_large: {
    status: 413,
    title: "Body too large",
    retryable: false,
    explanation: "The body is larger than 1 MiB."
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    retryable: false,
    explanation: "The body must be JSON, sent as Content-Type: application/json and without a content encoding."
  },
  validation_failed: {
    status: 422,
    title: "Validation failed",
    retryable: false,
    explanation: "The request breaks rules of this operation. The member errors lists every one of them."
  },
  unknown_parameter: {
    status: 422,
    title: "Unknown parameter",
    retryable: false,
    explanation: "The body or the query holds members that this operation does not know. They may be misspelt."
  },
  cursor_invalid: {
    status: 422,
    title: "Cursor invalid",
    retryable: false,
    explanation: "The cursor was altered, or made by another operation or for another workspace. Start again without one."
  },
  cursor_filter_mismatch: {
    status: 422,
    title: "Cursor does not match the filters",
    retryable: false,
    explanation: "The cursor was made with other filters. Send the same filters with every cursor."
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency key reused",
    retryable: false,
    explanation: "The Idempotency-Key was used before, with another body."
  },
  url_not_public: {
    status: 422,
    title: "URL not public",
    retryable: false,
    explanation: "The URL must be HTTPS on a publicly resolvable host."
  },
  provider_rejected_key: {
    status: 422,
    title: "Provider rejected the key",
    retryable: false,
    explanation: "The model provider does not accept this key."
  },
  provider_key_missing: {
    status: 422,
    title: "Provider key missing",
    retryable: false,
    explanation: "The workspace has no key for this model provider."
  },
  model_unpriced: {
    status: 422,
    title: "Model without a price",
    retryable: false,
    explanation: "The model has no known price, so that its cost could not be kept under the cap."
  },
  interrupt_schema_mismatch: {
    status: 422,
    title: "Reply does not match the question",
    retryable: false,
    explanation: "The reply's data does not have the form that the run's question asks for."
  },
  rate_limited: {
    status: 429,
    title: "Rate limited",
    retryable: true,
    explanation: "The API key has made more requests than it may. Retry-After says when to go on."
  },
  queue_full: {
    status: 429,
    title: "Queue full",
    retryable: true,
    retryAfterSeconds: 10,
    explanation: "The workspace has as many queued runs as it may. Trigger more when some of them have begun."
  },
  headers_too_large: {
    status: 431,
    title: "Headers too large",
    retryable: false,
    explanation: "The request's address and headers together are larger than 16 KiB."
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    retryable: true,
    explanation: "The fault is ours. Quote the request id when you report it."
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    retryable: true,
    retryAfterSeconds: 2,
    explanation: "The service cannot answer at the moment. Try again."
  }
} as const satisfies Readonly<Record<string, ProblemKind>>

/** What a problem is called in its member `code`. */
export type ProblemCode = keyof typeof PROBLEMS

/** The codes that come with a status. */
export type CodeOf<Status extends number> = {
  readonly [Code in ProblemCode]: (typeof PROBLEMS)[Code]["status"] extends Status ? Code : never
}[ProblemCode]

/** The row of a code. */
export const problemKind = (code: ProblemCode): ProblemKind => PROBLEMS[code]

/** Whether a text is a problem code. */
export const isProblemCode = (text: string): text is ProblemCode => Object.hasOwn(PROBLEMS, text)

/** All codes that come with a status. */
export const codesOf = <const Status extends number>(status: Status): ReadonlyArray<CodeOf<Status>> =>
  (Object.keys(PROBLEMS) as Array<ProblemCode>).filter((code): code is CodeOf<Status> =>
    PROBLEMS[code].status === status
  )
