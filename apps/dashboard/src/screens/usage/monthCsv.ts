import type { Month } from "../../api/usage.ts"
import { csvOf } from "../../ui/csv.ts"
import { columnsOf } from "./groupings.ts"

const FIGURES = ["requests", "input_tokens", "output_tokens", "cost_usd", "unpriced_requests"] as const

/** A month as a file: a line for each day and part. */
export const monthCsv = ({ by, items }: Month): string => {
  const names = columnsOf(by)
  const rows = items.flatMap(({ date, groups = [], status }) =>
    groups.map((group) => [
      date,
      ...names.map((name) => String(group[name] ?? "")),
      ...FIGURES.map((figure) => group[figure]),
      status
    ])
  )
  return csvOf(["date", ...names, ...FIGURES, "status"], rows)
}
