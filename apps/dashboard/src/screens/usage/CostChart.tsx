import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useMemo } from "react"
import { type Grouping, type Month, monthQuery, type UsageOf } from "../../api/usage.ts"
import { DayChart } from "../../charts/DayChart.tsx"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { axisMoney, counted, exactMoney, money } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { monthCsv } from "./monthCsv.ts"
import { monthName } from "./months.ts"
import { costBars } from "./usageSeries.ts"

interface CostChartProps {
  readonly of: UsageOf
  readonly month: Month
}

/** The groups in an organization's file: by workspace, and in each as the chart shows them; by model where it shows workspaces. */
const fileGroupings = ({ by }: Month): ReadonlyArray<Grouping> => [
  "workspace_id",
  ...by.map((one) => (one === "workspace_id" ? "model" : one))
]

/** The cost of a month by day and part. */
export const CostChart = ({ month, of }: CostChartProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const { days, series } = useMemo(() => costBars(month), [month])
  const save = useMutation({
    mutationFn: async () => {
      const asked = { of, month: month.period, by: fileGroupings(month) }
      const file = of === "workspace" ? month : await queries.fetchQuery(monthQuery(session, asked))
      saveFile(`usage-${month.period}.csv`, "text/csv", monthCsv(file))
    }
  })
  const { adjustments_usd, cost_usd, requests, runs, unpriced_requests } = month.totals
  return (
    <>
      <DayChart
        title={`Cost in ${monthName(month.period)}`}
        days={days}
        series={series}
        format={(value) => money(String(value))}
        axis={axisMoney}
        bar={
          <Button disabled={save.isPending} onClick={() => save.mutate()}>
            <Icon name="record" />
            CSV
          </Button>
        }
      />
      {save.error && (
        <div className="p-4">
          <ProblemNotice error={save.error} />
        </div>
      )}
      <p className="flex flex-wrap gap-x-6 border-b border-line px-4 py-2 text-muted tabular-nums">
        <span>Together {exactMoney(cost_usd)}</span>
        {Number(adjustments_usd) !== 0 && <span>Adjusted since by {exactMoney(adjustments_usd)}</span>}
        <span>{counted(requests, "request")} to models</span>
        <span>{counted(runs, "run")}</span>
        {unpriced_requests > 0 && (
          <span>Not in it, for want of a known price: {counted(unpriced_requests, "request")}</span>
        )}
        <span>{"timezone" in month ? `Days in ${month.timezone}` : "Days in each workspace's time zone"}</span>
      </p>
    </>
  )
}
