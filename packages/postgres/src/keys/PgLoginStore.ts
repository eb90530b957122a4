import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import {
  type LoginSessionId,
  LoginStore,
  type OrganizationRole,
  SESSION_IDLE_DAYS_MAX,
  type WorkspaceRole
} from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { readNullableTimestamp, timestamp } from "../columns.ts"
import { text } from "../columnTypes.ts"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { attemptTable, foundSessionTable, SESSION_COLUMNS, SESSION_TABLES, sessionTable } from "./loginTable.ts"
import { userTable } from "./memberTable.ts"

const hashedAttemptTable = attemptTable.with<{ readonly hash: string }>({ hash: text() })
const hashedSessionTable = sessionTable.with<{ readonly hash: string }>({ hash: text() })

/** A session with the roles that its person has now. */
interface RolesRow extends Row {
  readonly organization_role: OrganizationRole | null
  readonly workspace_found: boolean
  readonly workspace_role: WorkspaceRole | null
}

interface Pruned {
  readonly pruned: number
}

/** Logins under way in the table `login_attempt`, sessions in `login_session`. */
export const layer = layerSql(LoginStore)((sql) => {
  const columns = sql.literal(SESSION_COLUMNS)
  const tables = sql.literal(SESSION_TABLES)

  const found = (isIt: Fragment, workspaceId: WorkspaceId | undefined) =>
    sql<RolesRow>`
        select ${columns}, ${sql.literal(userTable.prefixed)}, member.organization_role,
          workspace.id is not null as workspace_found, member_workspace.role as workspace_role
        from ${tables}
        join agent_platform.app_user on app_user.id = member.user_id
        join agent_platform.organization on organization.id = login_session.organization_id
          and organization.closed_at is null
        left join agent_platform.workspace on workspace.organization_id = login_session.organization_id
          and workspace.id = ${workspaceId ?? null}::uuid and workspace.closed_at is null
        left join agent_platform.member_workspace on member_workspace.organization_id = login_session.organization_id
          and member_workspace.member_id = login_session.member_id and member_workspace.workspace_id = workspace.id
        where ${isIt}
      `.pipe(
      mapRows(
        ([row]) =>
          row && {
            session: foundSessionTable.read(row),
            user: userTable.readPrefixed(row),
            organizationRole: row.organization_role,
            workspaceFound: row.workspace_found,
            workspaceRole: row.workspace_role
          }
      )
    )

  const isOf = (organizationId: OrganizationId, id: LoginSessionId) =>
    sql`login_session.organization_id = ${organizationId} and login_session.id = ${id}`

  return {
    holdAttempts: Effect.fnUntraced(function* (clientNetwork, now) {
      yield* holdName(sql, `login_attempt:${clientNetwork}`)
      const [row] = yield* Effect.orDie(sql<{ readonly count: number; readonly first_expires_at: Date | null }>`
          select count(*)::int as count, min(expires_at) as first_expires_at from agent_platform.login_attempt
          where client_network = ${clientNetwork} and expires_at > ${timestamp(now)}
        `)
      return { count: row?.count ?? 0, firstExpiresAt: readNullableTimestamp(row?.first_expires_at ?? null) }
    }),

    insertAttempt: (hash, attempt) =>
      sql`
          insert into agent_platform.login_attempt (${sql.literal(hashedAttemptTable.names)})
          ${hashedAttemptTable.rowsOf([{ ...attempt, hash }])}
        `.pipe(Effect.orDie, Effect.asVoid),

    takeAttempt: (hash) =>
      sql<Row>`
          delete from agent_platform.login_attempt where hash = ${hash} returning ${sql.literal(attemptTable.names)}
        `.pipe(mapRows(attemptTable.readFirst)),

    // Inserts nothing where the member was removed meanwhile; the lock keeps one that is there until the commit.
    insert: (session, hash) =>
      sql`
          insert into agent_platform.login_session (${sql.literal(hashedSessionTable.names)})
          select begun.* from (${hashedSessionTable.rowsOf([{ ...session, hash }])}) as begun
          join agent_platform.member on member.organization_id = begun.organization_id and member.id = begun.member_id
          for key share of member
          returning 1
        `.pipe(mapRows((rows) => rows.length > 0)),

    findByHash: (hash, workspaceId) => found(sql`login_session.hash = ${hash}`, workspaceId),

    find: (organizationId, id, workspaceId) => found(isOf(organizationId, id), workspaceId),

    // Roles in workspaces are in rows that are not locked, so they are read by a second statement, after the locks are granted.
    hold: Effect.fnUntraced(function* (organizationId, id, workspaceId) {
      const isIt = isOf(organizationId, id)
      yield* Effect.orDie(sql`select 1 from ${tables} where ${isIt} for share of login_session, member`)
      return yield* found(isIt, workspaceId)
    }),

    noteUse: (id, at, unlessSince) =>
      sql`
          update agent_platform.login_session set last_seen_at = ${timestamp(at)}
          where id = ${id} and last_seen_at <= ${timestamp(unlessSince)}
        `.pipe(Effect.orDie, Effect.asVoid),

    list: (userId, now, page) =>
      sql<Row>`
          select ${columns} from ${tables}
          where member.user_id = ${userId} and login_session.revoked_at is null
            and login_session.expires_at > ${timestamp(now)}
            and login_session.last_seen_at > ${timestamp(DateTime.subtract(now, { days: SESSION_IDLE_DAYS_MAX }))}
            ${page.before === undefined ? sql.literal("") : sql`and login_session.id < ${page.before}`}
          order by login_session.id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(foundSessionTable.readAll(rows), page.limit, (session) => session.id))),

    // Of two revocations at once the first locks the row; the other waits, reads it again and finds it revoked.
    revoke: (userId, id, at) =>
      sql<Row & { readonly was_revoked: boolean }>`
          with found as (
            select login_session.organization_id, login_session.id, login_session.revoked_at is not null as was_revoked
            from ${tables} where login_session.id = ${id} and member.user_id = ${userId}
            for update of login_session
          )
          update agent_platform.login_session set revoked_at = coalesce(login_session.revoked_at, ${timestamp(at)})
          from found join agent_platform.member on member.user_id = ${userId}
          where login_session.organization_id = found.organization_id and login_session.id = found.id
            and member.organization_id = login_session.organization_id and member.id = login_session.member_id
          returning ${columns}, found.was_revoked
        `.pipe(mapRows(([row]) => row && { session: foundSessionTable.read(row), changed: !row.was_revoked })),

    prune: (now, max) =>
      Effect.gen(function* () {
        const gone = (table: string) => sql<Pruned>`
            with old as (
              select hash from ${sql.literal(table)} where expires_at <= ${timestamp(now)} limit ${max} for update skip locked
            ), gone as (delete from ${sql.literal(table)} as one using old where one.hash = old.hash returning 1)
            select count(*)::int as pruned from gone
          `
        const attempts = yield* gone("agent_platform.login_attempt")
        const sessions = yield* gone("agent_platform.login_session")
        return { attempts: attempts[0]?.pruned ?? 0, sessions: sessions[0]?.pruned ?? 0 }
      }).pipe(Effect.orDie)
  }
})
