import { toPage } from "@agent-platform/kernel"
import { MemberStore, memberStatusOf } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { nullableTimestamp, texts, timestamp, uuids } from "../columns.ts"
import {
  INVITING_KEY,
  INVITING_KEY_COLUMNS,
  type InvitingKeyRow,
  MEMBER_COLUMNS,
  MEMBER_TABLES,
  type MemberRow,
  toInvitingKey,
  toMember,
  toUser,
  USER_COLUMNS,
  type UserRow
} from "./memberRow.ts"

/** People in the table `app_user`, their part in organizations in `member` and `member_workspace`. */
export const layer: Layer.Layer<MemberStore, never, SqlClient.SqlClient> = Layer.effect(
  MemberStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const selected = sql.literal(`select ${MEMBER_COLUMNS} from ${MEMBER_TABLES}`)
    const userColumns = sql.literal(USER_COLUMNS)

    return MemberStore.of({
      // An advisory lock, not the organization's row: every insert that refers to that row would wait for it, too.
      hold: (organizationId) =>
        sql`select pg_advisory_xact_lock(hashtextextended(${`member:${organizationId}`}, 0))`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),

      put: (member) =>
        Effect.gen(function* () {
          yield* sql`
            insert into member (
              organization_id, id, email, organization_role, user_id, invited_by_type, invited_by_id, invited_by_label,
              invited_by_key, invited_at, joined_at
            ) values (
              ${member.organizationId}, ${member.id}, ${member.email}, ${member.organizationRole},
              ${member.user?.id ?? null}, ${member.invitedBy.type}, ${member.invitedBy.id}, ${member.invitedBy.label},
              ${member.invitedByKey?.id ?? null}, ${timestamp(member.invitedAt)}, ${nullableTimestamp(member.joinedAt)}
            )
            on conflict (organization_id, id) do update set
              email = excluded.email, organization_role = excluded.organization_role,
              invited_by_type = excluded.invited_by_type, invited_by_id = excluded.invited_by_id,
              invited_by_label = excluded.invited_by_label, invited_by_key = excluded.invited_by_key,
              invited_at = excluded.invited_at
          `
          yield* sql`
            delete from member_workspace where organization_id = ${member.organizationId} and member_id = ${member.id}
          `
          yield* sql`
            insert into member_workspace (organization_id, member_id, workspace_id, role)
            select ${member.organizationId}, ${member.id}, granted.workspace_id, granted.role
            from unnest(
              ${uuids(member.workspaces.map((grant) => grant.workspaceId))},
              ${texts(member.workspaces.map((grant) => grant.role))}
            ) as granted (workspace_id, role)
          `
        }).pipe(Effect.orDie),

      find: (organizationId, id) =>
        sql<MemberRow>`${selected} where member.organization_id = ${organizationId} and member.id = ${id}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toMember(row))
        ),

      findByEmail: (organizationId, email) =>
        sql<MemberRow>`${selected} where member.organization_id = ${organizationId} and member.email = ${email}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toMember(row))
        ),

      list: (organizationId, page) =>
        sql<MemberRow>`
          ${selected} where member.organization_id = ${organizationId}
            ${page.before === undefined ? sql.literal("") : sql`and member.id < ${page.before}`}
          order by member.id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toMember), page.limit, (member) => member.id))
        ),

      count: (organizationId, max) =>
        sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select from member where organization_id = ${organizationId} limit ${max}
          ) as mine
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.count ?? 0)
        ),

      countOwners: (organizationId) =>
        sql<{ readonly owners: number }>`
          select count(*)::int as owners from member
          where organization_id = ${organizationId} and organization_role = 'owner' and user_id is not null
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.owners ?? 0)
        ),

      remove: (organizationId, id) =>
        sql`delete from member where organization_id = ${organizationId} and id = ${id} returning id`.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        ),

      findUser: (issuer, subject) =>
        sql<UserRow>`select ${userColumns} from app_user where issuer = ${issuer} and subject = ${subject}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toUser(row))
        ),

      putUser: (user) =>
        sql<UserRow>`
          insert into app_user (id, issuer, subject, email, name, created_at)
          values (
            ${user.id}, ${user.issuer}, ${user.subject}, ${user.email}, ${user.name}, ${timestamp(user.createdAt)}
          )
          on conflict (issuer, subject) do update set email = excluded.email, name = excluded.name
          returning ${userColumns}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => (row === undefined ? user : toUser(row)))
        ),

      takeUp: (email, user, at) =>
        Effect.gen(function* () {
          // Two logins of one person come one after the other here, so that they do not join an organization twice.
          yield* sql`select 1 from app_user where id = ${user.id} for update`
          // Rows are locked in one order: two people who come for the same address wait, and do not block each other.
          const open = yield* sql<InvitingKeyRow & { readonly id: string; readonly organization_id: string }>`
            select member.organization_id, member.id, ${sql.literal(INVITING_KEY_COLUMNS)}
            from member ${sql.literal(INVITING_KEY)}
            where member.email = ${email} and member.user_id is null and not exists (
              select from member as mine
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
            update member set user_id = ${user.id}, joined_at = ${timestamp(at)}
            where (organization_id, id) in (${ids})
          `
          const rows = yield* sql<MemberRow>`
            ${selected} where (member.organization_id, member.id) in (${ids}) order by member.id
          `
          return rows.map(toMember)
        }).pipe(Effect.orDie),

      membershipsOf: (userId) =>
        sql<MemberRow>`${selected} where member.user_id = ${userId} order by member.joined_at, member.id`.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toMember))
        )
    })
  })
)
