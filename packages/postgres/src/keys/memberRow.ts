/** The row of a member, with its workspaces and the name of its user. */
import type { Actor, OrganizationId } from "@agent-platform/kernel"
import type { Member, MemberId, OrganizationRole, User, UserId, WorkspaceGrant } from "@agent-platform/keys"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"

export interface MemberRow {
  readonly organization_id: OrganizationId
  readonly id: MemberId
  readonly email: string
  readonly organization_role: OrganizationRole | null
  readonly workspaces: ReadonlyArray<WorkspaceGrant>
  readonly user_id: UserId | null
  readonly user_name: string | null
  readonly invited_by_type: Actor["type"]
  readonly invited_by_id: string
  readonly invited_by_label: string
  readonly invited_at: Date
  readonly joined_at: Date | null
}

/** What is read of a member, from `MEMBER_TABLES`. */
export const MEMBER_COLUMNS = `member.organization_id, member.id, member.email, member.organization_role, member.user_id,
  app_user.name as user_name, member.invited_by_type, member.invited_by_id, member.invited_by_label, member.invited_at,
  member.joined_at, array(
    select jsonb_build_object('workspaceId', workspace_id, 'role', role) from member_workspace
    where organization_id = member.organization_id and member_id = member.id order by workspace_id
  ) as workspaces`

export const MEMBER_TABLES = "member left join app_user on app_user.id = member.user_id"

export const toMember = (row: MemberRow): Member => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  organizationRole: row.organization_role,
  workspaces: row.workspaces,
  user: row.user_id === null ? null : { id: row.user_id, name: row.user_name ?? "" },
  invitedBy: { type: row.invited_by_type, id: row.invited_by_id, label: row.invited_by_label },
  invitedAt: readTimestamp(row.invited_at),
  joinedAt: readNullableTimestamp(row.joined_at)
})

export interface UserRow {
  readonly id: UserId
  readonly issuer: string
  readonly subject: string
  readonly email: string
  readonly name: string
  readonly created_at: Date
}

export const USER_COLUMNS = "id, issuer, subject, email, name, created_at"

export const toUser = ({ created_at, ...row }: UserRow): User => ({ ...row, createdAt: readTimestamp(created_at) })
