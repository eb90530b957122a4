import { CallLedger, NO_SPEND } from "@agent-platform/billing"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import { readMoney } from "../money.ts"
import { CALL_COLUMNS, type CallRow, type ReservationRow, toEntry, toReservation } from "./callRow.ts"
import { MONTH_COLUMNS, type MonthRow, toMonth } from "./monthRow.ts"
import { prepareMonths } from "./prepareMonths.ts"
import { reserve } from "./reserve.ts"
import { settle } from "./settle.ts"

/** The ledger in `model_call`, what is held back in `call_reservation`, and sums of both by month and by run. */
export const layer: Layer.Layer<CallLedger, never, SqlClient.SqlClient> = Layer.effect(
  CallLedger,
  Effect.map(SqlClient.SqlClient, (sql) =>
    CallLedger.of({
      reserve: reserve(sql),
      settle: settle(sql),

      expired: ({ max }) =>
        sql<ReservationRow>`
          select * from call_reservation where expires_at <= clock_timestamp() order by expires_at limit ${max}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toReservation))
        ),

      mark: ({ at, callId, capUsd, kind, organizationId, period, workspaceId }) => {
        const [atColumn, byColumn] = [sql(`${kind}_at`), sql(`${kind}_by`)]
        const cap = kind === "reached" ? capUsd : null
        return sql<MonthRow & { readonly is_first: boolean }>`
          insert into workspace_spend as marked (
            organization_id, workspace_id, period_start, period_end, cap_usd, ${atColumn}, ${byColumn}, reached_cap_usd
          ) values (
            ${organizationId}, ${workspaceId}, ${timestamp(period.start)}, ${timestamp(period.end)}, ${capUsd}::numeric,
            ${timestamp(at)}, ${callId}, ${cap}::numeric
          )
          on conflict (workspace_id, period_start) do update set
            ${atColumn} = coalesce(marked.${atColumn}, excluded.${atColumn}),
            ${byColumn} = coalesce(marked.${byColumn}, excluded.${byColumn}),
            reached_cap_usd = greatest(marked.reached_cap_usd, excluded.reached_cap_usd)
          returning ${sql.literal(MONTH_COLUMNS.replaceAll("workspace_spend.", "marked."))},
            marked.${byColumn} = ${callId}::uuid and marked.${atColumn} = ${timestamp(at)}::timestamptz as is_first
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => (row?.is_first === true ? toMonth(row) : undefined))
        )
      },

      month: (workspaceId, start) =>
        sql<MonthRow>`
          select ${sql.literal(MONTH_COLUMNS)} from workspace_spend
          where workspace_id = ${workspaceId} and period_start = ${timestamp(start)}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toMonth(row))
        ),

      run: (workspaceId, runId) =>
        sql<{ readonly spent_usd: string; readonly reserved_usd: string }>`
          select spent_usd, reserved_usd from run_spend where workspace_id = ${workspaceId} and run_id = ${runId}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) =>
            row === undefined
              ? NO_SPEND
              : { spentUsd: readMoney(row.spent_usd), reservedUsd: readMoney(row.reserved_usd) }
          )
        ),

      find: (workspaceId, id) =>
        sql<CallRow>`
          select ${sql.literal(CALL_COLUMNS)} from model_call where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toEntry(row))
        ),

      prepareMonths: prepareMonths(sql)
    })
  )
)
