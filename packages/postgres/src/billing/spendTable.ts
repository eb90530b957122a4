import type { MonthSpend } from "@agent-platform/billing"
import { money, nullable, timestamptz } from "../columnTypes.ts"
import { group, makeTable } from "../table.ts"

/** Months of workspaces, without the columns that only the ledger itself uses. */
export const spendTable = makeTable<MonthSpend>("workspace_spend", {
  period: group("period_", { start: timestamptz(), end: timestamptz() }),
  capUsd: nullable(money()),
  spentUsd: money(),
  reservedUsd: money(),
  nearAt: nullable(timestamptz()),
  reachedAt: nullable(timestamptz()),
  reachedCapUsd: nullable(money())
})
