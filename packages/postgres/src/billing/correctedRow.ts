import type { LedgerEntry } from "@agent-platform/billing"
import { readMoney } from "../money.ts"
import { type CallRow, toEntry } from "./callRow.ts"

/** The last correction of a call, if there is one. */
export interface CorrectedRow {
  readonly corrected_cost_usd: string | null
  readonly corrected_price_version: string | null
}

/** The call in a row of the ledger, with the price that holds. */
export const toCorrected = (row: CallRow & CorrectedRow): LedgerEntry => {
  const entry = toEntry(row)
  return row.corrected_cost_usd === null
    ? entry
    : { ...entry, costUsd: readMoney(row.corrected_cost_usd), priceVersion: row.corrected_price_version }
}
