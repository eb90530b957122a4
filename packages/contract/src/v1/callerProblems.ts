/** Problems with who calls, and what the row of any problem holds. */

/** The documentation of a code, whatever the request. */
export interface ProblemRow {
  readonly status: number
  readonly title: string
  /** Whether the very same request may succeed later; false where it is not said. */
  readonly retryable?: true
  /** After how many seconds a repetition makes sense, where that is known. */
  readonly retryAfterSeconds?: number
  /** The cause and the remedy, in plain words. */
  readonly explanation: string
}

/** Who calls, and what they may do. */
export const callerProblems = {
  conflicting_credentials: {
    status: 400,
    title: "Conflicting credentials",
    explanation:
      "The headers Authorization and X-API-Key hold different values, or there are several cookies of a session. Send one."
  },
  workspace_required: {
    status: 400,
    title: "Workspace required",
    explanation:
      "An organization key reaches every workspace of its organization, and a session those of the person. Name one in the " +
      "header X-Workspace-Id."
  },
  oauth_state_invalid: {
    status: 400,
    title: "OAuth state invalid",
    explanation:
      "The login was not begun in this browser, took too long, was completed before, or the identity provider does " +
      "not stand by it. Begin it again."
  },
  missing_credential: {
    status: 401,
    title: "Credential missing",
    explanation: "Send an API key as Authorization: Bearer <key> or as X-API-Key: <key>, or log in."
  },
  malformed_credential: {
    status: 401,
    title: "Credential malformed",
    explanation:
      "The credential is neither an API key nor the cookie of a session: its form or its checksum is wrong. It was probably " +
      "cut or mistyped."
  },
  invalid_credential: {
    status: 401,
    title: "Credential invalid",
    explanation: "There is no such API key, or no such session. A session ends with the person's membership."
  },
  credential_expired: {
    status: 401,
    title: "Credential expired",
    explanation:
      "The API key has passed its expiry, or the session was not used for too long or is too old. Create another key, or log in again."
  },
  credential_revoked: {
    status: 401,
    title: "Credential revoked",
    explanation: "The API key was revoked, or the session ended. Create another key, or log in again."
  },
  attempt_over: {
    status: 401,
    title: "Attempt over",
    explanation:
      "The gateway takes the token of an attempt that lasts. This is none, or its run has ended, is to be cancelled, or is executed by another attempt. Stop working on it."
  },
  credential_disabled: {
    status: 401,
    title: "Credential disabled",
    explanation: "The API key is switched off for now."
  },
  signature_invalid: {
    status: 401,
    title: "Signature invalid",
    explanation: "The signature of a request to an inbound URL is missing, does not match, or is too old."
  },
  insufficient_scope: {
    status: 403,
    title: "Insufficient scope",
    explanation:
      "The API key or the person's role lacks the scope, or cannot give a scope or a role that it lacks itself; or an admin changes an owner."
  },
  org_key_required: {
    status: 403,
    title: "Organization key required",
    explanation: "This operation concerns the whole organization and takes an organization key only."
  },
  ip_not_allowed: {
    status: 403,
    title: "Address not allowed",
    explanation: "The API key may not be used from this network address."
  },
  csrf_failed: {
    status: 403,
    title: "CSRF check failed",
    explanation: "The header X-CSRF-Token is missing or belongs to another session. GET /api/v1/auth/me shows it."
  },
  not_invited: {
    status: 403,
    title: "Not invited",
    explanation: "This e-mail address is not invited to the organization, or the identity provider has not verified it."
  },
  rate_limited: {
    status: 429,
    title: "Rate limited",
    retryable: true,
    explanation:
      "The API key, or all that call for the workspace together, made more requests than they may, or too many logins are " +
      "under way from one network. Retry-After says when to go on."
  }
} as const satisfies Readonly<Record<string, ProblemRow>>
