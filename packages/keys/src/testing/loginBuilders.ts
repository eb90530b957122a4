import { OrganizationId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { DateTime } from "effect"
import { type LoginAttempt, type LoginSession, LoginSessionId } from "../LoginSession.ts"
import { MemberId, UserId } from "../Member.ts"

const CREATED_AT = DateTime.makeUnsafe("2026-11-22T08:00:00.007Z")

/** A login that was begun a moment ago by default. */
export const aLoginAttempt = (override: Partial<LoginAttempt> = {}): LoginAttempt => ({
  provider: "google",
  returnTo: "https://dashboard.example.com/runs?page=2#top",
  organizationId: null,
  clientNetwork: "192.0.2.7/32",
  expiresAt: DateTime.add(CREATED_AT, { minutes: 10 }),
  ...override
})

/** A session that was opened a moment ago, of a member of an organization of its own by default. */
export const aLoginSession = (override: Partial<LoginSession> = {}): LoginSession => ({
  id: anId(LoginSessionId),
  organizationId: anId(OrganizationId),
  memberId: anId(MemberId),
  userId: anId(UserId),
  provider: "google",
  userAgent: "Mozilla/5.0",
  clientAddress: "192.0.2.7",
  createdAt: CREATED_AT,
  lastSeenAt: CREATED_AT,
  expiresAt: DateTime.add(CREATED_AT, { days: 30 }),
  revokedAt: null,
  ...override
})
