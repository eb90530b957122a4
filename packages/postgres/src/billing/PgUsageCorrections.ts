import { type UsageCorrection, UsageCorrections } from "@agent-platform/billing"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jsonb, timestamp } from "../columns.ts"
import { CALL_COLUMNS, type CallRow } from "./callRow.ts"
import { type CorrectedRow, toCorrected } from "./correctedRow.ts"

/** Before everything. */
const FIRST = "00000000-0000-0000-0000-000000000000"

const toRow = (correction: UsageCorrection) => ({
  organization_id: correction.organizationId,
  workspace_id: correction.workspaceId,
  id: correction.id,
  call_id: correction.callId,
  run_id: correction.runId,
  agent_id: correction.agentId,
  provider: correction.provider,
  request_model: correction.requestModel,
  key_source: correction.keySource,
  called_at: DateTime.formatIso(correction.calledAt),
  cost_usd: correction.costUsd,
  delta_usd: correction.deltaUsd,
  was_unpriced: correction.wasUnpriced,
  price_version: correction.priceVersion,
  reason: correction.reason,
  created_at: DateTime.formatIso(correction.createdAt)
})

/** Corrections in the table `usage_correction`. To look for calls of a model goes through the workspace's part of the ledger. */
export const layer: Layer.Layer<UsageCorrections, never, SqlClient.SqlClient> = Layer.effect(
  UsageCorrections,
  Effect.map(SqlClient.SqlClient, (sql) =>
    UsageCorrections.of({
      hold: (workspaceId) =>
        sql`select pg_advisory_xact_lock(hashtextextended(${`usage_correction:${workspaceId}`}, 0))`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),

      calls: (workspaceId, { model, provider, span }, { after, limit }) =>
        sql<CallRow & CorrectedRow>`
          select ${sql.literal(CALL_COLUMNS)}, corrected_cost_usd, corrected_price_version
          from model_call as call left join lateral (
            select cost_usd as corrected_cost_usd, price_version as corrected_price_version from usage_correction
            where usage_correction.workspace_id = ${workspaceId} and usage_correction.run_id = call.run_id
              and usage_correction.call_id = call.id
            order by usage_correction.id desc limit 1
          ) as corrected on true
          where call.workspace_id = ${workspaceId} and call.id > ${after ?? FIRST}::uuid
            and call.provider = ${provider} and call.request_model = ${model}
            and call.called_at >= ${timestamp(span.start)} and call.called_at < ${timestamp(span.end)}
          order by call.id limit ${limit}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toCorrected))
        ),

      insert: (corrections) =>
        corrections.length === 0
          ? Effect.void
          : sql`
              insert into usage_correction (
                organization_id, workspace_id, id, call_id, run_id, agent_id, provider, request_model, key_source, called_at,
                cost_usd, delta_usd, was_unpriced, price_version, reason, created_at
              )
              select organization_id, workspace_id, id, call_id, run_id, agent_id, provider, request_model, key_source,
                called_at, cost_usd, delta_usd, was_unpriced, price_version, reason, created_at
              from jsonb_populate_recordset(null::usage_correction, ${jsonb(corrections.map(toRow))})
            `.pipe(Effect.orDie, Effect.asVoid)
    })
  )
)
