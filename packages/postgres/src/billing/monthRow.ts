import type { MonthSpend } from "@agent-platform/billing"
import { readNullableTimestamp, readTimestamp } from "../columns.ts"
import { readMoney, readNullableMoney } from "../money.ts"

/** A row of `workspace_spend`, as far as anybody but the ledger itself looks at it. */
export interface MonthRow {
  readonly period_start: Date
  readonly period_end: Date
  readonly cap_usd: string | null
  readonly spent_usd: string
  readonly reserved_usd: string
  readonly near_at: Date | null
  readonly reached_at: Date | null
  readonly reached_cap_usd: string | null
}

/** The columns of a `MonthRow`. */
export const MONTH_COLUMNS = `workspace_spend.period_start, workspace_spend.period_end, workspace_spend.cap_usd,
  workspace_spend.spent_usd, workspace_spend.reserved_usd, workspace_spend.near_at, workspace_spend.reached_at,
  workspace_spend.reached_cap_usd`

/** The month in a row. */
export const toMonth = (row: MonthRow): MonthSpend => ({
  period: { start: readTimestamp(row.period_start), end: readTimestamp(row.period_end) },
  capUsd: readNullableMoney(row.cap_usd),
  spentUsd: readMoney(row.spent_usd),
  reservedUsd: readMoney(row.reserved_usd),
  nearAt: readNullableTimestamp(row.near_at),
  reachedAt: readNullableTimestamp(row.reached_at),
  reachedCapUsd: readNullableMoney(row.reached_cap_usd)
})
