import { parseJson } from "@agent-platform/kernel"
import { type ContentPart, RunContentStore, type RunId } from "@agent-platform/runs"
import { Effect } from "effect"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"

const encoder = new TextEncoder()

/** The content beside messages, in the table `run_content`. Its rows are deleted with their runs. */
export const layer = layerSql(RunContentStore)((sql) => ({
  insert: ({ id, organizationId, workspaceId }, parts) => {
    const json = JSON.stringify(parts)
    return sql`
        insert into agent_platform.run_content (organization_id, workspace_id, run_id, bytes, parts)
        values (${organizationId}, ${workspaceId}, ${id}, ${encoder.encode(json).length}, ${json})
      `.pipe(Effect.orDie, Effect.asVoid)
  },

  sizes: (workspaceId, ids) =>
    sql<{ readonly run_id: RunId; readonly bytes: number }>`
        select run_id, bytes from agent_platform.run_content
        where workspace_id = ${workspaceId} and run_id = any(${uuids(ids)})
      `.pipe(mapRows((rows) => new Map(rows.map(({ bytes, run_id }) => [run_id, bytes])))),

  load: (workspaceId, ids) =>
    sql<{ readonly run_id: RunId; readonly parts: string }>`
        select run_id, parts from agent_platform.run_content
        where workspace_id = ${workspaceId} and run_id = any(${uuids(ids)})
      `.pipe(
      mapRows((rows) => new Map(rows.map(({ parts, run_id }) => [run_id, parseJson(parts) as Array<ContentPart>])))
    )
}))
