import { toPage } from "@agent-platform/kernel"
import { type ProviderKey, ProviderKeyStore } from "@agent-platform/keys"
import { Effect } from "effect"
import { timestamps, uuids } from "../columns.ts"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { providerKeyTable, readSealed, sealedKeyTable } from "./providerKeyTable.ts"

/** The columns that a change of a key may write, in addition to its value. */
const changeable = providerKeyTable.pick(
  "name",
  "hint",
  "fingerprint",
  "status",
  "limitedUntil",
  "priority",
  "fallback",
  "allowedModels",
  "version",
  "lastValidatedAt",
  "lastError",
  "revokedAt"
)

/** Provider keys in the table `provider_key`. */
export const layer = layerSql(ProviderKeyStore)((sql) => {
  const columns = sql.literal(sealedKeyTable.selected)

  /** Writes a key without its last use. Its value goes in the same statement, because a revoked key must have none. */
  const write = (key: ProviderKey, sealed: string | undefined) =>
    sql<Row>`
        update agent_platform.provider_key set ${sql.literal(changeable.assignedFrom("changed"))},
          sealed = case when changed.status <> 'revoked' then coalesce(${sealed ?? null}::text, provider_key.sealed) end
        from (${changeable.rowsOf([key])}) as changed
        where workspace_id = ${key.workspaceId} and id = ${key.id}
        returning ${columns}
      `

  return {
    holdKeys: Effect.fnUntraced(function* (workspaceId) {
      yield* holdName(sql, `provider_keys:${workspaceId}`)
      const [row] = yield* Effect.orDie(sql<{ readonly count: number }>`
          select count(*)::int as count from agent_platform.provider_key where workspace_id = ${workspaceId} and status <> 'revoked'
        `)
      return row?.count ?? 0
    }),

    insert: (key, sealed) =>
      sql`
          insert into agent_platform.provider_key (${sql.literal(sealedKeyTable.names)}) ${sealedKeyTable.rowsOf([{ ...key, sealed }])}
        `.pipe(Effect.orDie, Effect.asVoid),

    find: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.provider_key where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(mapRows(providerKeyTable.readFirst)),

    findSealed: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.provider_key where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(mapRows((rows) => readSealed(rows)[0])),

    list: (workspaceId, page) =>
      sql<Row>`
          select ${columns} from agent_platform.provider_key
          where workspace_id = ${workspaceId}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(providerKeyTable.readAll(rows), page.limit, (key) => key.id))),

    ofProvider: (workspaceId, provider) =>
      sql<Row>`
          select ${columns} from agent_platform.provider_key
          where workspace_id = ${workspaceId} and provider = ${provider} and status <> 'revoked'
          order by priority, id
        `.pipe(mapRows(readSealed)),

    update: Effect.fnUntraced(function* (workspaceId, id, change) {
      const [row] = yield* sql<Row>`
          select ${columns} from agent_platform.provider_key where workspace_id = ${workspaceId} and id = ${id} for update
        `
      if (row === undefined) return undefined
      const before = providerKeyTable.read(row)
      const changed = change(before)
      if (changed === undefined) return { before, after: before }
      const [after] = yield* write({ ...changed.key, workspaceId, id }, changed.sealed)
      return after && { before, after: providerKeyTable.read(after) }
    }, Effect.orDie),

    // Locked in the order of their ids, so that two writers of the same uses cannot deadlock.
    markUsed: (uses) =>
      uses.length === 0
        ? Effect.void
        : sql`
          with used as (
            select provider_key.id, latest.used_at from agent_platform.provider_key
            join unnest(${uuids(uses.map(({ id }) => id))}, ${timestamps(uses.map(({ at }) => at))}) as latest (id, used_at)
              on latest.id = provider_key.id
            where provider_key.last_used_at is null or latest.used_at >= provider_key.last_used_at + interval '1 minute'
            order by provider_key.id for update of provider_key
          )
          update agent_platform.provider_key set last_used_at = used.used_at from used
          where provider_key.id = used.id
            and (last_used_at is null or used.used_at >= last_used_at + interval '1 minute')
        `.pipe(Effect.orDie, Effect.asVoid),

    everyKey: (after, limit) =>
      sql<Row>`
          select ${columns} from agent_platform.provider_key
          where sealed is not null ${after === undefined ? sql.literal("") : sql`and id > ${after}`}
          order by id limit ${limit}
        `.pipe(mapRows(readSealed)),

    replaceSealed: (value, resealed) =>
      sql`
          update agent_platform.provider_key set sealed = ${resealed}
          where id = ${value.position} and sealed = ${value.sealed}
          returning id
        `.pipe(mapRows((rows) => rows.length > 0))
  }
})
