/** The row of a session, with whose it is. */
import type { OrganizationId } from "@agent-platform/kernel"
import type {
  LoginSession,
  LoginSessionId,
  MemberId,
  OrganizationRole,
  User,
  UserId,
  WorkspaceRole
} from "@agent-platform/keys"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"

export interface SessionRow {
  readonly organization_id: OrganizationId
  readonly member_id: MemberId
  readonly user_id: UserId
  readonly id: LoginSessionId
  readonly provider: string
  readonly user_agent: string | null
  readonly client_address: string | null
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly expires_at: Date
  readonly revoked_at: Date | null
}

/** What is read of a session, from `SESSION_TABLES`. */
export const SESSION_COLUMNS = `login_session.organization_id, login_session.member_id, member.user_id, login_session.id,
  login_session.provider, login_session.user_agent, login_session.client_address, login_session.created_at,
  login_session.last_seen_at, login_session.expires_at, login_session.revoked_at`

export const SESSION_TABLES = `login_session join member on member.organization_id = login_session.organization_id
  and member.id = login_session.member_id`

export const toSession = (row: SessionRow): LoginSession => ({
  id: row.id,
  organizationId: row.organization_id,
  memberId: row.member_id,
  userId: row.user_id,
  provider: row.provider,
  userAgent: row.user_agent,
  clientAddress: row.client_address,
  createdAt: readTimestamp(row.created_at),
  lastSeenAt: readTimestamp(row.last_seen_at),
  expiresAt: readTimestamp(row.expires_at),
  revokedAt: readNullableTimestamp(row.revoked_at)
})

/** A session's row together with what the person is at the time. */
export interface FoundSessionRow extends SessionRow {
  readonly issuer: string
  readonly subject: string
  readonly email: string
  readonly user_name: string
  readonly user_created_at: Date
  readonly organization_role: OrganizationRole | null
  readonly workspace_found: boolean
  readonly workspace_role: WorkspaceRole | null
}

export const toUserOf = (row: FoundSessionRow): User => ({
  id: row.user_id,
  issuer: row.issuer,
  subject: row.subject,
  email: row.email,
  name: row.user_name,
  createdAt: readTimestamp(row.user_created_at)
})
