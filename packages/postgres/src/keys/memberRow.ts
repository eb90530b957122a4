/** The row of a member, with its workspaces and the name of its user. */
import type { Actor, OrganizationId } from "@agent-platform/kernel"
import type {
  ApiKeyId,
  ApiKeyState,
  Member,
  MemberId,
  OrganizationRole,
  User,
  UserId,
  WorkspaceGrant
} from "@agent-platform/keys"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"

/** The key that invited, all null where there is none. */
export interface InvitingKeyRow {
  readonly invited_by_key: ApiKeyId | null
  readonly key_revoked_at: Date | null
  readonly key_expires_at: Date | null
  readonly key_disabled: boolean | null
  readonly key_replaced_by: ApiKeyId | null
}

export interface MemberRow extends InvitingKeyRow {
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

/** The columns of an `InvitingKeyRow`, from `INVITING_KEY`. */
export const INVITING_KEY_COLUMNS = `member.invited_by_key, inviting.revoked_at as key_revoked_at,
  inviting.expires_at as key_expires_at, inviting.disabled as key_disabled, inviting.replaced_by as key_replaced_by`

export const INVITING_KEY = `left join api_key as inviting
  on inviting.organization_id = member.organization_id and inviting.id = member.invited_by_key`

/** What is read of a member, from `MEMBER_TABLES`. */
export const MEMBER_COLUMNS = `member.organization_id, member.id, member.email, member.organization_role, member.user_id,
  app_user.name as user_name, member.invited_by_type, member.invited_by_id, member.invited_by_label, member.invited_at,
  member.joined_at, ${INVITING_KEY_COLUMNS}, array(
    select jsonb_build_object('workspaceId', workspace_id, 'role', role) from member_workspace
    where organization_id = member.organization_id and member_id = member.id order by workspace_id
  ) as workspaces`

export const MEMBER_TABLES = `member left join app_user on app_user.id = member.user_id ${INVITING_KEY}`

export const toInvitingKey = (row: InvitingKeyRow): ApiKeyState | null =>
  row.invited_by_key === null
    ? null
    : {
        id: row.invited_by_key,
        revokedAt: readNullableTimestamp(row.key_revoked_at),
        expiresAt: readNullableTimestamp(row.key_expires_at),
        disabled: row.key_disabled ?? true,
        replacedBy: row.key_replaced_by
      }

export const toMember = (row: MemberRow): Member => ({
  id: row.id,
  organizationId: row.organization_id,
  email: row.email,
  organizationRole: row.organization_role,
  workspaces: row.workspaces,
  user: row.user_id === null ? null : { id: row.user_id, name: row.user_name ?? "" },
  invitedBy: { type: row.invited_by_type, id: row.invited_by_id, label: row.invited_by_label },
  invitedByKey: toInvitingKey(row),
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
