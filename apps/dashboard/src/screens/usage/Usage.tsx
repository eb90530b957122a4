import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useMemo } from "react"
import { hoursQuery, monthQuery } from "../../api/usage.ts"
import { DayChart } from "../../charts/DayChart.tsx"
import { useSession } from "../../session/SessionContext.tsx"
import { count } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Select } from "../../ui/Select.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { CapPanel } from "./CapPanel.tsx"
import { CostChart } from "./CostChart.tsx"
import { monthName, monthsUntil } from "./months.ts"
import { outcomeBars } from "./usageSeries.ts"

const route = getRouteApi("/frame/usage")

const Outcomes = () => {
  const { data, error, refetch } = useQuery(hoursQuery(useSession()))
  const bars = useMemo(() => data && outcomeBars(data), [data])
  if (bars !== undefined) return <DayChart title="Outcomes of the last 30 days" format={count} {...bars} />
  return (
    <div className="p-4">
      <ProblemNotice error={error} onRetry={() => void refetch()} />
    </div>
  )
}

/** The usage of the workspace, and its cost. */
export const Usage = () => {
  const session = useSession()
  const { month: wanted } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, isPending, refetch } = useQuery({
    ...monthQuery(session, wanted),
    placeholderData: keepPreviousData
  })
  // In the zone of the workspace it may be another month than here, by a day: the choice begins with the later one.
  const thisMonth = new Date().toISOString().slice(0, 7)
  const month = wanted ?? data?.period ?? thisMonth
  const [newest = month] = [month, thisMonth].sort().toReversed()
  const months = new Set([...monthsUntil(newest), month])
  return (
    <Screen
      title="Usage"
      bar={
        <Select
          label="Month"
          value={month}
          choices={[...months].map((value) => ({ value, label: monthName(value) }))}
          onChange={(value) => void navigate({ search: { month: value } })}
        />
      }
    >
      <section aria-label="Figures" tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        <CapPanel />
        {error !== null && (
          <div className="p-4">
            <ProblemNotice error={error} onRetry={() => void refetch()} />
          </div>
        )}
        {isPending && <Skeleton />}
        {data !== undefined && data.items.length === 0 && (
          <p className="border-b border-line p-4 text-muted">{monthName(data.period)} has not begun yet.</p>
        )}
        {data !== undefined && data.items.length > 0 && <CostChart month={data} />}
        <Outcomes />
      </section>
    </Screen>
  )
}
