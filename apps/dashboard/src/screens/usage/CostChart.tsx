import type { BillingMonth } from "@agent-platform/client"
import { useMemo } from "react"
import { DayChart } from "../../charts/DayChart.tsx"
import { Button } from "../../ui/Button.tsx"
import { csvOf } from "../../ui/csv.ts"
import { Icon } from "../../ui/Icon.tsx"
import { count, exactMoney, money } from "../../ui/numbers.ts"
import { saveFile } from "../../ui/saveFile.ts"
import { monthName } from "./months.ts"
import { costBars } from "./usageSeries.ts"

const TITLES = ["date", "model", "requests", "input_tokens", "output_tokens", "cost_usd", "unpriced_requests", "status"]

const save = ({ items, period }: BillingMonth) => {
  const rows = items.flatMap(({ date, groups = [], status }) =>
    groups.map((group) => [
      date,
      group.model ?? "",
      group.requests,
      group.input_tokens,
      group.output_tokens,
      group.cost_usd,
      group.unpriced_requests,
      status
    ])
  )
  saveFile(`usage-${period}.csv`, "text/csv", csvOf(TITLES, rows))
}

/** The cost of a month by day and model. */
export const CostChart = ({ month }: { readonly month: BillingMonth }) => {
  const { days, series } = useMemo(() => costBars(month), [month])
  const { adjustments_usd, cost_usd, requests, runs, unpriced_requests } = month.totals
  return (
    <>
      <DayChart
        title={`Cost in ${monthName(month.period)}`}
        days={days}
        series={series}
        format={(value) => money(String(value))}
        bar={
          <Button onClick={() => save(month)}>
            <Icon name="record" />
            CSV
          </Button>
        }
      />
      <p className="flex flex-wrap gap-x-6 border-b border-line px-4 py-2 text-muted tabular-nums">
        <span>Together {exactMoney(cost_usd)}</span>
        {Number(adjustments_usd) !== 0 && <span>Adjusted since by {exactMoney(adjustments_usd)}</span>}
        <span>{count(requests)} requests to models</span>
        <span>{count(runs)} runs</span>
        {unpriced_requests > 0 && <span>{count(unpriced_requests)} requests without a known price are not in it</span>}
        <span>Days of {month.timezone}</span>
      </p>
    </>
  )
}
