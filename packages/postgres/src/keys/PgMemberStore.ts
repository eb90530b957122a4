import { toPage } from "@agent-platform/kernel"
import { MemberStore, memberStatusOf } from "@agent-platform/keys"
import { Effect } from "effect"
import { texts, timestamp, uuids } from "../columns.ts"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import {
  INVITING_KEY,
  INVITING_KEY_COLUMNS,
  MEMBER_COLUMNS,
  MEMBER_TABLES,
  memberTable,
  toInvitingKey,
  toMember,
  userTable
} from "./memberTable.ts"

/** The columns that are overwritten when a member is invited again. */
const changeable = memberTable.pick("email", "organizationRole", "invitedBy", "invitingKeyId", "invitedAt")

/** People in the table `app_user`, their part in organizations in `member` and `member_workspace`. */
export const layer = layerSql(MemberStore)((sql) => {
  const selected = sql.literal(`select ${MEMBER_COLUMNS} from ${MEMBER_TABLES}`)
  const userColumns = sql.literal(userTable.selected)

  return {
    hold: (organizationId) => holdName(sql, `member:${organizationId}`),

    put: (member) =>
      Effect.gen(function* () {
        const ids = { userId: member.user?.id ?? null, invitingKeyId: member.invitedByKey?.id ?? null }
        yield* sql`
            insert into agent_platform.member (${sql.literal(memberTable.names)}) ${memberTable.rowsOf([{ ...member, ...ids }])}
            on conflict (organization_id, id) do update set ${sql.literal(changeable.assignedFrom("excluded"))}
          `
        yield* sql`
            delete from agent_platform.member_workspace where organization_id = ${member.organizationId} and member_id = ${member.id}
          `
        yield* sql`
            insert into agent_platform.member_workspace (organization_id, member_id, workspace_id, role)
            select ${member.organizationId}, ${member.id}, granted.workspace_id, granted.role
            from unnest(
              ${uuids(member.workspaces.map((grant) => grant.workspaceId))},
              ${texts(member.workspaces.map((grant) => grant.role))}
            ) as granted (workspace_id, role)
          `
      }).pipe(Effect.orDie),

    find: (organizationId, id) =>
      sql<Row>`${selected} where member.organization_id = ${organizationId} and member.id = ${id}`.pipe(
        mapRows(([row]) => row && toMember(row))
      ),

    findByEmail: (organizationId, email) =>
      sql<Row>`${selected} where member.organization_id = ${organizationId} and member.email = ${email}`.pipe(
        mapRows(([row]) => row && toMember(row))
      ),

    list: (organizationId, page) =>
      sql<Row>`
          ${selected} where member.organization_id = ${organizationId}
            ${page.before === undefined ? sql.literal("") : sql`and member.id < ${page.before}`}
          order by member.id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(rows.map(toMember), page.limit, (member) => member.id))),

    count: (organizationId, max) =>
      sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select from agent_platform.member where organization_id = ${organizationId} limit ${max}
          ) as mine
        `.pipe(mapRows(([row]) => row?.count ?? 0)),

    countOwners: (organizationId) =>
      sql<{ readonly owners: number }>`
          select count(*)::int as owners from agent_platform.member
          where organization_id = ${organizationId} and organization_role = 'owner' and user_id is not null
        `.pipe(mapRows(([row]) => row?.owners ?? 0)),

    remove: (organizationId, id) =>
      sql`delete from agent_platform.member where organization_id = ${organizationId} and id = ${id} returning id`.pipe(
        mapRows((rows) => rows.length > 0)
      ),

    findUser: (issuer, subject) =>
      sql<Row>`select ${userColumns} from agent_platform.app_user where issuer = ${issuer} and subject = ${subject}`.pipe(
        mapRows(userTable.readFirst)
      ),

    putUser: (user) =>
      sql<Row>`
          insert into agent_platform.app_user (${sql.literal(userTable.names)}) ${userTable.rowsOf([user])}
          on conflict (issuer, subject) do update set email = excluded.email, name = excluded.name
          returning ${userColumns}
        `.pipe(mapRows((rows) => userTable.readFirst(rows) ?? user)),

    takeUp: (email, user, at) =>
      Effect.gen(function* () {
        // Two logins of one person at once could join an organization twice, so the second waits.
        yield* sql`select 1 from agent_platform.app_user where id = ${user.id} for update`
        // Rows are locked in one order, so that two people with the same address cannot deadlock.
        const open = yield* sql<Row & { readonly id: string; readonly organization_id: string }>`
            select member.organization_id, member.id, ${sql.literal(INVITING_KEY_COLUMNS)}
            from agent_platform.member ${sql.literal(INVITING_KEY)}
            where member.email = ${email} and member.user_id is null and not exists (
              select from agent_platform.member as mine
              where mine.organization_id = member.organization_id and mine.user_id = ${user.id}
            )
            order by member.organization_id
            for update of member
          `
        const good = open.filter(
          (row) => memberStatusOf({ user: null, invitedByKey: toInvitingKey(row) }, at) === "invited"
        )
        if (good.length === 0) return []
        const ids = sql`select * from unnest(
            ${uuids(good.map((row) => row.organization_id))}, ${uuids(good.map((row) => row.id))}
          )`
        yield* sql`
            update agent_platform.member set user_id = ${user.id}, joined_at = ${timestamp(at)}
            where (organization_id, id) in (${ids})
          `
        const rows = yield* sql<Row>`
            ${selected} where (member.organization_id, member.id) in (${ids}) order by member.id
          `
        return rows.map(toMember)
      }).pipe(Effect.orDie),

    membershipsOf: (userId) =>
      sql<Row>`${selected} where member.user_id = ${userId} order by member.joined_at, member.id`.pipe(
        mapRows((rows) => rows.map(toMember))
      )
  }
})
