import { CallLedger, NO_SPEND } from "@agent-platform/billing"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { readMoney } from "../money.ts"
import type { Row } from "../table.ts"
import { callTable, reservationTable } from "./callTable.ts"
import { prepareMonths } from "./prepareMonths.ts"
import { reserve } from "./reserve.ts"
import { settle } from "./settle.ts"
import { spendTable } from "./spendTable.ts"

/** The ledger in `model_call`, reservations in `call_reservation`, and sums of both by month and by run. */
export const layer = layerSql(CallLedger)((sql) => ({
  reserve: reserve(sql),
  settle: settle(sql),

  expired: ({ max }) =>
    sql<Row>`
          select ${sql.literal(reservationTable.selected)} from agent_platform.call_reservation
          where expires_at <= clock_timestamp() order by expires_at limit ${max}
        `.pipe(mapRows(reservationTable.readAll)),

  // A mark that was set before stays, so exactly one call finds its own id and time in the row.
  mark: ({ at, callId, capUsd, kind, organizationId, period, workspaceId }) => {
    const [atColumn, byColumn] = [sql(`${kind}_at`), sql(`${kind}_by`)]
    const cap = kind === "reached" ? capUsd : null
    return sql<Row & { readonly is_first: boolean }>`
          insert into agent_platform.workspace_spend as marked (
            organization_id, workspace_id, period_start, period_end, cap_usd, ${atColumn}, ${byColumn}, reached_cap_usd
          ) values (
            ${organizationId}, ${workspaceId}, ${timestamp(period.start)}, ${timestamp(period.end)}, ${capUsd}::numeric,
            ${timestamp(at)}, ${callId}, ${cap}::numeric
          )
          on conflict (workspace_id, period_start) do update set
            ${atColumn} = coalesce(marked.${atColumn}, excluded.${atColumn}),
            ${byColumn} = coalesce(marked.${byColumn}, excluded.${byColumn}),
            reached_cap_usd = greatest(marked.reached_cap_usd, excluded.reached_cap_usd)
          returning ${sql.literal(spendTable.names)},
            marked.${byColumn} = ${callId}::uuid and marked.${atColumn} = ${timestamp(at)}::timestamptz as is_first
        `.pipe(mapRows(([row]) => (row?.is_first === true ? spendTable.read(row) : undefined)))
  },

  month: (workspaceId, start) =>
    sql<Row>`
          select ${sql.literal(spendTable.selected)} from agent_platform.workspace_spend
          where workspace_id = ${workspaceId} and period_start = ${timestamp(start)}
        `.pipe(mapRows(spendTable.readFirst)),

  run: (workspaceId, runId) =>
    sql<{ readonly spent_usd: string; readonly reserved_usd: string }>`
          select spent_usd, reserved_usd from agent_platform.run_spend where workspace_id = ${workspaceId} and run_id = ${runId}
        `.pipe(
      mapRows(([row]) =>
        row === undefined ? NO_SPEND : { spentUsd: readMoney(row.spent_usd), reservedUsd: readMoney(row.reserved_usd) }
      )
    ),

  find: (workspaceId, id) =>
    sql<Row>`
          select ${sql.literal(callTable.selected)} from agent_platform.model_call where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(mapRows(callTable.readFirst)),

  prepareMonths: prepareMonths(sql)
}))
