/** Members, with their workspaces and the names of their users, and users. */
import type { ApiKeyId, ApiKeyState, Member, User, UserId } from "@agent-platform/keys"
import { json, named, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { group, makeTable, nullableGroup, type Row } from "../table.ts"
import { apiKeyTable } from "./apiKeyTable.ts"

export const userTable = makeTable<User>("app_user", {
  id: uuid(),
  issuer: text(),
  subject: text(),
  email: text(),
  name: text(),
  createdAt: timestamptz()
})

const ownTable = makeTable<Omit<Member, "workspaces" | "user" | "invitedByKey">>("member", {
  id: uuid(),
  organizationId: uuid(),
  email: text(),
  organizationRole: nullable(text()),
  invitedBy: group("invited_by_", { type: text(), id: text(), label: text() }),
  invitedAt: timestamptz(),
  joinedAt: nullable(timestamptz())
})

/** A member as its row has it. */
export const memberTable = ownTable.with<{ readonly userId: UserId | null; readonly invitingKeyId: ApiKeyId | null }>({
  userId: nullable(uuid()),
  invitingKeyId: named("invited_by_key", nullable(uuid()))
})

const foundTable = ownTable.with<Pick<Member, "workspaces" | "user">>({
  workspaces: json(),
  user: nullableGroup("user_", { id: uuid(), name: text() })
})

const keyTable = apiKeyTable.pick("id", "revokedAt", "expiresAt", "disabled", "replacedBy")

/** The columns of the key that invited a member, from `INVITING_KEY`. */
export const INVITING_KEY_COLUMNS = keyTable.prefixed

export const INVITING_KEY = `left join agent_platform.api_key
  on api_key.organization_id = member.organization_id and api_key.id = member.invited_by_key`

/** All columns of a member, from `MEMBER_TABLES`. */
export const MEMBER_COLUMNS = `${ownTable.selected}, app_user.id as user_id, app_user.name as user_name,
  ${INVITING_KEY_COLUMNS}, array(
    select jsonb_build_object('workspaceId', workspace_id, 'role', role) from agent_platform.member_workspace
    where organization_id = member.organization_id and member_id = member.id order by workspace_id
  ) as workspaces`

export const MEMBER_TABLES = `agent_platform.member left join agent_platform.app_user on app_user.id = member.user_id ${INVITING_KEY}`

export const toInvitingKey = (row: Row): ApiKeyState | null =>
  row.api_key_id === null ? null : keyTable.readPrefixed(row)

export const toMember = (row: Row): Member => ({ ...foundTable.read(row), invitedByKey: toInvitingKey(row) })
