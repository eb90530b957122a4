/** Sessions of people, and logins under way. Spec: OAuth. */
import { type OrganizationId, Uuid } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import type { MemberId, UserId } from "./Member.ts"

export const LoginSessionId = Uuid.pipe(Schema.brand("LoginSessionId"))
export type LoginSessionId = typeof LoginSessionId.Type

/** How long a session lasts that nobody uses, in days. */
export const SESSION_IDLE_DAYS_MAX = 7

/** How long a session lasts at most, in days. */
export const SESSION_DAYS_MAX = 30

/** How exact `lastSeenAt` is, in seconds: a session's use is noted at most once in this time. */
export const SESSION_SEEN_SECONDS = 60

/** How long a person may take to log in at the identity provider, in minutes. */
export const LOGIN_MINUTES_MAX = 10

/** Most logins under way at once from one network; completed and expired logins do not count. */
export const LOGINS_UNDER_WAY_MAX = 100

/** Most characters of a browser's User-Agent that are kept. */
export const USER_AGENT_LENGTH_MAX = 256

/** A person's session with one organization. Its secret is not kept. */
export interface LoginSession {
  readonly id: LoginSessionId
  readonly organizationId: OrganizationId
  /** The membership by which the person acts. The session ends with it. */
  readonly memberId: MemberId
  readonly userId: UserId
  /** The identity provider that the person came through, by its configured name. */
  readonly provider: string
  /** The User-Agent of the login, cut to `USER_AGENT_LENGTH_MAX`; null where it had none. */
  readonly userAgent: string | null
  /** The network address of the login; null where it is not known. */
  readonly clientAddress: string | null
  readonly createdAt: DateTime.Utc
  /** The latest use, to the minute. */
  readonly lastSeenAt: DateTime.Utc
  /** When the session ends, however much it is used. */
  readonly expiresAt: DateTime.Utc
  readonly revokedAt: DateTime.Utc | null
}

/** A login that was begun. The secret that continues it is in one browser and nowhere else. */
export interface LoginAttempt {
  readonly provider: string
  /** The URL to which the browser goes after the login. It is absolute and was checked. */
  readonly returnTo: string
  /** The organization to log in to; null for the one that the person joined first. */
  readonly organizationId: OrganizationId | null
  /** The network of the browser that began it, by `loginNetworkOf`. */
  readonly clientNetwork: string
  readonly expiresAt: DateTime.Utc
}

/** The person has no such session. */
export class LoginSessionNotFound extends Schema.TaggedError<LoginSessionNotFound>()("LoginSessionNotFound", {}) {}

/** The login cannot go on: it was not begun in this browser, took too long, or was completed before. */
export class LoginStateInvalid extends Schema.TaggedError<LoginStateInvalid>()("LoginStateInvalid", {
  detail: Schema.String
}) {}

/** The logins under way from the caller's network have reached their limit. */
export class TooManyLogins extends Schema.TaggedError<TooManyLogins>()("TooManyLogins", {
  limit: Schema.Int,
  /** Seconds until the first of them has expired, at least 1. */
  retryAfterSeconds: Schema.Int
}) {}

/** The provider vouches for the person, but no invitation lets them in. */
export class NotInvited extends Schema.TaggedError<NotInvited>()("NotInvited", {
  reason: Schema.Literals(["not_invited", "email_unverified", "several_invited"]),
  detail: Schema.String
}) {}

/** When the session ends if it is not used again. */
export const endOf = (session: Pick<LoginSession, "expiresAt" | "lastSeenAt">): DateTime.Utc =>
  DateTime.min(session.expiresAt, DateTime.add(session.lastSeenAt, { days: SESSION_IDLE_DAYS_MAX }))

/** Whether a session is accepted at `now`. A revocation goes before an expiry. */
export const loginSessionStatusOf = (
  session: Pick<LoginSession, "expiresAt" | "lastSeenAt" | "revokedAt">,
  now: DateTime.Utc
): "active" | "revoked" | "expired" => {
  if (session.revokedAt !== null) return "revoked"
  return DateTime.isLessThanOrEqualTo(endOf(session), now) ? "expired" : "active"
}
