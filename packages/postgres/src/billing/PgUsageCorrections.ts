import { UsageCorrections } from "@agent-platform/billing"
import { Effect } from "effect"
import { FIRST_ID, timestamp } from "../columns.ts"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { CORRECTED_COLUMNS, correctionTable, toCorrected } from "./callTable.ts"

/**
 * Corrections in the table `usage_correction`, of which the last one of a call counts. Looking for the calls of a model reads all
 * calls of the workspace.
 */
export const layer = layerSql(UsageCorrections)((sql) => ({
  hold: (workspaceId) => holdName(sql, `usage_correction:${workspaceId}`),

  calls: (workspaceId, { model, provider, span }, { after, limit }) =>
    sql<Row>`
          select ${sql.literal(CORRECTED_COLUMNS)}
          from agent_platform.model_call as call left join lateral (
            select cost_usd as corrected_cost_usd, price_version as corrected_price_version from agent_platform.usage_correction
            where usage_correction.workspace_id = ${workspaceId} and usage_correction.run_id = call.run_id
              and usage_correction.call_id = call.id
            order by usage_correction.id desc limit 1
          ) as corrected on true
          where call.workspace_id = ${workspaceId} and call.id > ${after ?? FIRST_ID}::uuid
            and call.provider = ${provider} and call.request_model = ${model}
            and call.called_at >= ${timestamp(span.start)} and call.called_at < ${timestamp(span.end)}
          order by call.id limit ${limit}
        `.pipe(mapRows((rows) => rows.map(toCorrected))),

  insert: (corrections) =>
    corrections.length === 0
      ? Effect.void
      : sql`
              insert into agent_platform.usage_correction (${sql.literal(correctionTable.names)}) ${correctionTable.rowsOf(corrections)}
            `.pipe(Effect.orDie, Effect.asVoid)
}))
