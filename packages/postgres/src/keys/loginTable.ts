/** Logins: those under way, and sessions with the person of each. */
import type { LoginAttempt, LoginSession, UserId } from "@agent-platform/keys"
import { named, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

export const attemptTable = makeTable<LoginAttempt>("login_attempt", {
  provider: text(),
  returnTo: text(),
  organizationId: named("asked_organization_id", nullable(uuid())),
  clientNetwork: text(),
  expiresAt: timestamptz()
})

export const sessionTable = makeTable<Omit<LoginSession, "userId">>("login_session", {
  id: uuid(),
  organizationId: uuid(),
  memberId: uuid(),
  provider: text(),
  userAgent: nullable(text()),
  clientAddress: nullable(text()),
  createdAt: timestamptz(),
  lastSeenAt: timestamptz(),
  expiresAt: timestamptz(),
  revokedAt: nullable(timestamptz())
})

/** The columns of a session and of whose it is, from `SESSION_TABLES`. */
export const SESSION_COLUMNS = `${sessionTable.selected}, member.user_id`

export const SESSION_TABLES = `agent_platform.login_session join agent_platform.member on member.organization_id = login_session.organization_id
  and member.id = login_session.member_id`

/** Reads rows of `SESSION_COLUMNS`. */
export const foundSessionTable = sessionTable.with<{ readonly userId: UserId }>({ userId: uuid() })
