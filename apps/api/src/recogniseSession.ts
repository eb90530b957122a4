/** Recognises callers by their session. Spec: OAuth. */

import { timingSafeEqual } from "node:crypto"
import { type Caller, type CallerSession, Forbidden, Unauthorized } from "@agent-platform/contract"
import { parseId, WorkspaceId } from "@agent-platform/kernel"
import { type CredentialRefused, endOf, type LoginSession, Logins, type RecognisedSession } from "@agent-platform/keys"
import { Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { valueOf } from "./credentials.ts"
import { workspaceNotFound } from "./edge/problems.ts"
import { countRefusal } from "./refusals.ts"

const malformed = () =>
  new Unauthorized({ code: "malformed_credential", detail: "The session's cookie has another form than it was given" })

const unknown = () => new Unauthorized({ code: "invalid_credential", detail: "There is no such session. Log in again" })

const refusals = {
  expired: () => new Unauthorized({ code: "credential_expired", detail: "The session has expired. Log in again" }),
  revoked: () => new Unauthorized({ code: "credential_revoked", detail: "The session was ended. Log in again" }),
  // Never happens, since a session cannot be disabled.
  disabled: unknown
}

/** The problem of a session that is not accepted, on arrival or later, when the request was to grant something with it. */
export const sessionRefused = ({ reason }: CredentialRefused): Unauthorized => refusals[reason]()

const csrfFailed = () =>
  new Forbidden({
    code: "csrf_failed",
    detail: "Send the session's csrf_token, which GET /api/v1/auth/me shows, as X-CSRF-Token"
  })

const callerOf = ({ csrfToken, role, scopes, session, user, workspaceId }: RecognisedSession): Caller => ({
  organizationId: session.organizationId,
  workspaceId,
  actor: { type: "user", id: user.id, label: user.name || user.email },
  scopes,
  credential: {
    type: "session",
    id: session.id,
    provider: session.provider,
    expiresAt: endOf(session),
    csrfToken,
    user: { id: user.id, email: user.email, name: user.name, role }
  }
})

/** The methods that change nothing. RFC 9110, 9.2.1. */
const SAFE_METHODS: ReadonlyArray<string> = ["GET", "HEAD", "OPTIONS"]

const isEqual = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Fails for a request that could change something, unless its CSRF token shows that the dashboard made it. */
export const demandCsrfToken = (
  request: HttpServerRequest.HttpServerRequest,
  { csrfToken }: CallerSession
): Effect.Effect<void, Forbidden> => {
  if (SAFE_METHODS.includes(request.method)) return Effect.void
  const given = valueOf(request.headers, "x-csrf-token")
  return given !== undefined && isEqual(given, Redacted.value(csrfToken)) ? Effect.void : Effect.fail(csrfFailed())
}

/** A recognised person, and the session, whose use is noted. */
export interface SessionCaller {
  readonly caller: Caller & { readonly credential: CallerSession }
  readonly session: LoginSession
}

/** Makes the function that recognises the person of a session. `workspace` is the one that the request names, as it was sent. */
export const makeRecogniseSession = Effect.map(
  Logins,
  (logins) => (secret: Redacted.Redacted, workspace: string | undefined) => {
    const workspaceId = workspace === undefined ? undefined : parseId(WorkspaceId, workspace)
    return logins.recogniseSession({ secret, workspaceId }).pipe(
      Effect.tapError((error) => countRefusal("session", error)),
      // A malformed workspace id fails like an unknown one, and only after the session was accepted.
      Effect.filterOrFail(() => workspace === undefined || workspaceId !== undefined, workspaceNotFound),
      Effect.map((found) => ({ caller: callerOf(found), session: found.session }) as SessionCaller),
      Effect.catchTags({
        MalformedCredential: () => Effect.fail(malformed()),
        CredentialUnknown: () => Effect.fail(unknown()),
        CredentialRefused: (error) => Effect.fail(sessionRefused(error)),
        WorkspaceNotFound: () => Effect.fail(workspaceNotFound())
      })
    )
  }
)
