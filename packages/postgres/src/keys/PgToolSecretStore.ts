import { toPage } from "@agent-platform/kernel"
import { ToolSecretStore } from "@agent-platform/keys"
import { Effect } from "effect"
import { texts } from "../columns.ts"
import { holdAndCount } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { readSealedSecrets, sealedSecretTable, toolSecretTable } from "./toolSecretTable.ts"

/** The columns that a change of a secret writes, beside its value. */
const changeable = toolSecretTable.pick("name", "oauth", "version", "updatedAt")

/** Secrets of tools in the table `tool_secret`. */
export const layer = layerSql(ToolSecretStore)((sql) => {
  const columns = sql.literal(sealedSecretTable.selected)

  return {
    hold: (workspaceId, max) =>
      holdAndCount(
        sql,
        `tool_secrets:${workspaceId}`,
        sql`agent_platform.tool_secret where workspace_id = ${workspaceId}`,
        max
      ),

    alike: ({ header, hostPattern, id, name, workspaceId }) =>
      sql<Row>`
          select ${columns} from agent_platform.tool_secret
          where workspace_id = ${workspaceId} and id <> ${id}
            and (name = ${name} or (host_pattern = ${hostPattern} and header = ${header}))
        `.pipe(mapRows(toolSecretTable.readAll)),

    insert: (secret, sealed) =>
      sql`
          insert into agent_platform.tool_secret (${sql.literal(sealedSecretTable.names)})
          ${sealedSecretTable.rowsOf([{ ...secret, sealed }])}
        `.pipe(Effect.orDie, Effect.asVoid),

    find: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.tool_secret where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(mapRows(toolSecretTable.readFirst)),

    list: (workspaceId, page) =>
      sql<Row>`
          select ${columns} from agent_platform.tool_secret
          where workspace_id = ${workspaceId}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(toolSecretTable.readAll(rows), page.limit, (secret) => secret.id))),

    withPatterns: (workspaceId, patterns) =>
      sql<Row>`
          select ${columns} from agent_platform.tool_secret
          where workspace_id = ${workspaceId} and host_pattern = any(${texts(patterns)})
        `.pipe(mapRows(readSealedSecrets)),

    update: (secret, sealed) =>
      sql`
          update agent_platform.tool_secret set ${sql.literal(changeable.assignedFrom("changed"))},
            sealed = coalesce(${sealed ?? null}::text, tool_secret.sealed)
          from (${changeable.rowsOf([secret])}) as changed
          where workspace_id = ${secret.workspaceId} and id = ${secret.id}
        `.pipe(Effect.orDie, Effect.asVoid),

    remove: (workspaceId, id) =>
      sql<Row>`
          delete from agent_platform.tool_secret where workspace_id = ${workspaceId} and id = ${id}
          returning ${columns}
        `.pipe(mapRows(toolSecretTable.readFirst)),

    everySecret: (after, limit) =>
      sql<Row>`
          select ${columns} from agent_platform.tool_secret
          ${after === undefined ? sql.literal("") : sql`where id > ${after}`}
          order by id limit ${limit}
        `.pipe(mapRows(readSealedSecrets)),

    replaceSealed: (value, resealed) =>
      sql`
          update agent_platform.tool_secret set sealed = ${resealed}
          where id = ${value.position} and sealed = ${value.sealed}
          returning id
        `.pipe(mapRows((rows) => rows.length > 0))
  }
})
