import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { LoginStore, SESSION_IDLE_DAYS_MAX } from "@agent-platform/keys"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { nullableTimestamp, readNullableTimestamp, readTimestamp, timestamp } from "../columns.ts"
import {
  type FoundSessionRow,
  SESSION_COLUMNS,
  SESSION_TABLES,
  type SessionRow,
  toSession,
  toUserOf
} from "./loginRow.ts"

interface AttemptRow {
  readonly provider: string
  readonly return_to: string
  readonly asked_organization_id: OrganizationId | null
  readonly client_network: string
  readonly expires_at: Date
}

interface Pruned {
  readonly pruned: number
}

/** Logins under way in the table `login_attempt`, sessions in `login_session`. */
export const layer: Layer.Layer<LoginStore, never, SqlClient.SqlClient> = Layer.effect(
  LoginStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(SESSION_COLUMNS)
    const tables = sql.literal(SESSION_TABLES)

    const found = (isIt: Fragment, workspaceId: WorkspaceId | undefined) =>
      sql<FoundSessionRow>`
        select ${columns}, app_user.issuer, app_user.subject, app_user.email, app_user.name as user_name,
          app_user.created_at as user_created_at, member.organization_role,
          workspace.id is not null as workspace_found, member_workspace.role as workspace_role
        from ${tables}
        join app_user on app_user.id = member.user_id
        left join workspace on workspace.organization_id = login_session.organization_id
          and workspace.id = ${workspaceId ?? null}::uuid
        left join member_workspace on member_workspace.organization_id = login_session.organization_id
          and member_workspace.member_id = login_session.member_id and member_workspace.workspace_id = workspace.id
        where ${isIt}
      `.pipe(
        Effect.orDie,
        Effect.map(
          ([row]) =>
            row && {
              session: toSession(row),
              user: toUserOf(row),
              organizationRole: row.organization_role,
              workspaceFound: row.workspace_found,
              workspaceRole: row.workspace_role
            }
        )
      )

    return LoginStore.of({
      holdAttempts: Effect.fnUntraced(function* (clientNetwork, now) {
        yield* Effect.orDie(sql`select pg_advisory_xact_lock(hashtextextended(${`login_attempt:${clientNetwork}`}, 0))`)
        const [row] = yield* Effect.orDie(sql<{ readonly count: number; readonly first_expires_at: Date | null }>`
          select count(*)::int as count, min(expires_at) as first_expires_at from login_attempt
          where client_network = ${clientNetwork} and expires_at > ${timestamp(now)}
        `)
        return { count: row?.count ?? 0, firstExpiresAt: readNullableTimestamp(row?.first_expires_at ?? null) }
      }),

      insertAttempt: (hash, attempt) =>
        sql`
          insert into login_attempt (hash, provider, return_to, asked_organization_id, client_network, expires_at)
          values (
            ${hash}, ${attempt.provider}, ${attempt.returnTo}, ${attempt.organizationId}, ${attempt.clientNetwork},
            ${timestamp(attempt.expiresAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),

      takeAttempt: (hash) =>
        sql<AttemptRow>`
          delete from login_attempt where hash = ${hash}
          returning provider, return_to, asked_organization_id, client_network, expires_at
        `.pipe(
          Effect.orDie,
          Effect.map(
            ([row]) =>
              row && {
                provider: row.provider,
                returnTo: row.return_to,
                organizationId: row.asked_organization_id,
                clientNetwork: row.client_network,
                expiresAt: readTimestamp(row.expires_at)
              }
          )
        ),

      insert: (session, hash) =>
        sql`
          insert into login_session (
            organization_id, member_id, id, hash, provider, user_agent, client_address, created_at, last_seen_at,
            expires_at, revoked_at
          )
          select organization_id, id, ${session.id}::uuid, ${hash}, ${session.provider}, ${session.userAgent}::text,
            ${session.clientAddress}::text, ${timestamp(session.createdAt)}::timestamptz,
            ${timestamp(session.lastSeenAt)}::timestamptz, ${timestamp(session.expiresAt)}::timestamptz,
            ${nullableTimestamp(session.revokedAt)}::timestamptz
          from member where organization_id = ${session.organizationId} and id = ${session.memberId}
          for key share
          returning 1
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        ),

      findByHash: (hash, workspaceId) => found(sql`login_session.hash = ${hash}`, workspaceId),

      // What is read after the wait for a lock is not what was read before it: workspace roles are not of the locked rows.
      hold: Effect.fnUntraced(function* (organizationId, id, workspaceId) {
        const isIt = sql`login_session.organization_id = ${organizationId} and login_session.id = ${id}`
        yield* Effect.orDie(sql`select 1 from ${tables} where ${isIt} for share of login_session, member`)
        return yield* found(isIt, workspaceId)
      }),

      noteUse: (id, at, unlessSince) =>
        sql`
          update login_session set last_seen_at = ${timestamp(at)}
          where id = ${id} and last_seen_at <= ${timestamp(unlessSince)}
        `.pipe(Effect.orDie, Effect.asVoid),

      list: (userId, now, page) =>
        sql<SessionRow>`
          select ${columns} from ${tables}
          where member.user_id = ${userId} and login_session.revoked_at is null
            and login_session.expires_at > ${timestamp(now)}
            and login_session.last_seen_at > ${timestamp(DateTime.subtract(now, { days: SESSION_IDLE_DAYS_MAX }))}
            ${page.before === undefined ? sql.literal("") : sql`and login_session.id < ${page.before}`}
          order by login_session.id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toSession), page.limit, (session) => session.id))
        ),

      // The row is locked by whoever comes first; who waits reads it anew and finds it revoked.
      revoke: (userId, id, at) =>
        sql<SessionRow & { readonly was_revoked: boolean }>`
          with found as (
            select login_session.organization_id, login_session.id, login_session.revoked_at is not null as was_revoked
            from ${tables} where login_session.id = ${id} and member.user_id = ${userId}
            for update of login_session
          )
          update login_session set revoked_at = coalesce(login_session.revoked_at, ${timestamp(at)})
          from found join member on member.user_id = ${userId}
          where login_session.organization_id = found.organization_id and login_session.id = found.id
            and member.organization_id = login_session.organization_id and member.id = login_session.member_id
          returning ${columns}, found.was_revoked
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && { session: toSession(row), changed: !row.was_revoked })
        ),

      prune: (now, max) =>
        Effect.gen(function* () {
          const gone = (table: string) => sql<Pruned>`
            with old as (
              select hash from ${sql(table)} where expires_at <= ${timestamp(now)} limit ${max} for update skip locked
            ), gone as (delete from ${sql(table)} using old where ${sql(table)}.hash = old.hash returning 1)
            select count(*)::int as pruned from gone
          `
          const attempts = yield* gone("login_attempt")
          const sessions = yield* gone("login_session")
          return { attempts: attempts[0]?.pruned ?? 0, sessions: sessions[0]?.pruned ?? 0 }
        }).pipe(Effect.orDie)
    })
  })
)
