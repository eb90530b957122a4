/** How callers show who they are. The implementation is the server's. Spec: Authentication. */
import type { Actor, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type {
  ApiKeyId,
  KeyKind,
  KeyResource,
  OrganizationRole,
  RateLimit,
  Role,
  Scope,
  UserId
} from "@agent-platform/keys"
import { Context, type DateTime, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { BadRequest, Forbidden, NotFound, TooManyRequests, Unauthorized } from "./errors.ts"

/** The key that a request was made with. */
export interface CallerKey {
  readonly type: "api_key"
  readonly id: ApiKeyId
  readonly name: string
  readonly kind: KeyKind
  /** The role of an organization key among the members while nothing bounds it. */
  readonly organizationRole: OrganizationRole | null
  readonly expiresAt: DateTime.Utc | null
  /** The networks that it may be used from; none of them means everywhere. */
  readonly allowedIps: ReadonlyArray<string>
  readonly rateLimit: RateLimit | null
  /** All that a browser key reads; null for every other key. */
  readonly reads: KeyResource | null
}

/** The session of a person that a request was made in. */
export interface CallerSession {
  readonly type: "session"
  readonly id: string
  /** The identity provider that the person came through. */
  readonly provider: string
  readonly expiresAt: DateTime.Utc
  /** Sent as `X-CSRF-Token` by unsafe requests of the session. */
  readonly csrfToken: Redacted.Redacted
  readonly user: { readonly id: UserId; readonly email: string; readonly name: string; readonly role: Role | null }
}

/** Who makes a request. */
export interface Caller {
  readonly organizationId: OrganizationId
  /** The workspace of a workspace key, or the one that another credential named; else undefined. */
  readonly workspaceId: WorkspaceId | undefined
  readonly actor: Actor
  readonly scopes: ReadonlyArray<Scope>
  readonly credential: CallerKey | CallerSession
}

/** Who makes the current request; there once authentication has succeeded. */
export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()("@agent-platform/contract/CurrentCaller") {}

/** The cookie of a session. By its prefix browsers take it over TLS only, and from this host alone. */
export const SESSION_COOKIE = "__Host-agent-platform-session"

/**
 * Recognises the caller by `Authorization: Bearer`, `X-API-Key` or the cookie of a session, picks the workspace
 * (`X-Workspace-Id`) and checks what the endpoint's `Access` demands. Two different credentials are refused; beside a key the
 * cookie is ignored. Spec: API keys 2 and 3; OAuth.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: CurrentCaller }>()(
  "@agent-platform/contract/Authentication",
  {
    requiredForClient: true,
    security: {
      bearer: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "An API key as `Authorization: Bearer <key>`")
      ),
      apiKey: HttpApiSecurity.apiKey({ key: "X-API-Key", in: "header" }).pipe(
        HttpApiSecurity.annotate(OpenApi.Description, "The same API key as `X-API-Key: <key>`")
      ),
      session: HttpApiSecurity.apiKey({ key: SESSION_COOKIE, in: "cookie" }).pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "The session of a person who logged in with a browser. Ignored beside an API key. Every method but GET and HEAD " +
            "needs the header `X-CSRF-Token`, too"
        )
      )
    },
    error: [BadRequest, Unauthorized, Forbidden, NotFound, TooManyRequests]
  }
) {}
