import type { WorkspaceId } from "@agent-platform/kernel"
import { addCounts, portionOf } from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import { Effect } from "effect"
import { readNullableTimestamp, timestamp, uuids } from "../columns.ts"
import { countRows, eraserOf } from "../erasing.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { keyErasedTables } from "./keyErasedTables.ts"

interface KeptRow {
  readonly closed_at: Date | null
  readonly erased_at: Date | null
}

const toKept = (row: KeptRow | undefined) =>
  row && { closedAt: readNullableTimestamp(row.closed_at), erasedAt: readNullableTimestamp(row.erased_at) }

interface MemberRow {
  readonly id: string
  readonly email: string
  readonly user_id: string | null
}

/** The eraser of the tables of keys, people and tenants. */
export const layer = layerSql(KeyEraser)((sql) => {
  const eraser = eraserOf(sql, keyErasedTables(sql))

  /** Deletes the identities of these people where they are members of no organization any more. */
  const forgetStrangers = (userIds: ReadonlyArray<string>) =>
    userIds.length === 0
      ? Effect.succeed(0)
      : Effect.map(
          Effect.orDie(sql`
            delete from agent_platform.app_user where id = any(${uuids(userIds)})
              and not exists (select from agent_platform.member where member.user_id = app_user.id)
            returning 1
          `),
          (rows) => rows.length
        )

  return {
    count: Effect.fnUntraced(function* (what, max) {
      const counts = yield* eraser.count(what, max)
      if (what._tag !== "Tenant" || what.workspaceId !== null) return counts
      // The identities that go are those of people who are members of this organization alone.
      const inIt = sql`id in (
        select user_id from agent_platform.member where organization_id = ${what.organizationId} and user_id is not null
      ) and not exists (
        select from agent_platform.member as other
        where other.user_id = app_user.id and other.organization_id <> ${what.organizationId}
      )`
      return { ...counts, login_identities: yield* countRows(sql, { table: "app_user" }, inIt, max) }
    }),

    erase: Effect.fnUntraced(function* (what, max) {
      if (what._tag !== "Tenant" || what.workspaceId !== null) return yield* eraser.erase(what, max)
      const users = yield* Effect.orDie(sql<{ readonly user_id: string }>`
        select user_id from agent_platform.member where organization_id = ${what.organizationId} and user_id is not null
      `)
      const { counts } = yield* eraser.erase(what, max)
      const login_identities = yield* forgetStrangers(users.map((row) => row.user_id))
      return portionOf(what, addCounts(counts, { login_identities }))
    }),

    findWorkspace: (organizationId, workspaceId) =>
      sql<KeptRow>`
        select closed_at, erased_at from agent_platform.workspace
        where organization_id = ${organizationId} and id = ${workspaceId}
      `.pipe(mapRows(([row]) => toKept(row))),

    findOrganization: (organizationId) =>
      sql<KeptRow>`select closed_at, erased_at from agent_platform.organization where id = ${organizationId}`.pipe(
        mapRows(([row]) => toKept(row))
      ),

    closeWorkspace: (organizationId, workspaceId, at) =>
      sql`
        update agent_platform.workspace set closed_at = coalesce(closed_at, ${timestamp(at)})
        where organization_id = ${organizationId} and id = ${workspaceId}
      `.pipe(Effect.orDie, Effect.asVoid),

    closeOrganization: Effect.fnUntraced(function* (organizationId, at) {
      yield* sql`
        update agent_platform.organization set closed_at = coalesce(closed_at, ${timestamp(at)}) where id = ${organizationId}
      `
      yield* sql`
        update agent_platform.workspace set closed_at = ${timestamp(at)}
        where organization_id = ${organizationId} and closed_at is null
      `
    }, Effect.orDie),

    nextWorkspace: (organizationId, after) =>
      sql<{ readonly id: WorkspaceId }>`
        select id from agent_platform.workspace where organization_id = ${organizationId} and erased_at is null
          ${after === undefined ? sql.literal("") : sql`and id > ${after}`}
        order by id limit 1
      `.pipe(mapRows(([row]) => row?.id)),

    // The time zone stays: calls of the workspace may still be counted, by months of that zone.
    eraseWorkspace: (organizationId, workspaceId, at) =>
      sql`
        update agent_platform.workspace set name = '', monthly_cap_usd = null, allow_platform_keys = false,
          retention_days = null, closed_at = coalesce(closed_at, ${timestamp(at)}), erased_at = ${timestamp(at)}
        where organization_id = ${organizationId} and id = ${workspaceId}
      `.pipe(Effect.orDie, Effect.asVoid),

    removeWorkspace: (organizationId, workspaceId) =>
      sql`
        delete from agent_platform.workspace where organization_id = ${organizationId} and id = ${workspaceId}
      `.pipe(Effect.orDie, Effect.asVoid),

    eraseOrganization: (organizationId, at) =>
      sql`
        update agent_platform.organization set name = '', closed_at = coalesce(closed_at, ${timestamp(at)}),
          erased_at = ${timestamp(at)}
        where id = ${organizationId}
      `.pipe(Effect.orDie, Effect.asVoid),

    // The identity is locked before the members, in the order of a login: a login meanwhile waits, and then finds no person.
    holdPerson: Effect.fnUntraced(function* (organizationId, id) {
      const [user] = yield* sql<{ readonly email: string }>`
        select email from agent_platform.app_user where id = ${id} for update
      `
      const members = yield* sql<MemberRow>`
        select id, email, user_id from agent_platform.member
        where user_id = ${id} or (organization_id = ${organizationId} and id = ${id} and user_id is null)
        order by id for update
      `
      if (user === undefined && members.length === 0) return undefined
      const emails = [...(user === undefined ? [] : [user.email]), ...members.map(({ email }) => email)]
      return {
        _tag: "Person" as const,
        userId: user === undefined ? null : id,
        memberIds: members.map((member) => member.id),
        emails: [...new Set(emails)]
      }
    }, Effect.orDie),

    endSessions: ({ memberIds }) =>
      sql`
        delete from agent_platform.login_session using agent_platform.member
        where member.id = any(${uuids(memberIds)}) and login_session.organization_id = member.organization_id
          and login_session.member_id = member.id
      `.pipe(Effect.orDie, Effect.asVoid)
  }
})
