import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useMemo } from "react"
import { hoursQuery, monthQuery, type UsageOf } from "../../api/usage.ts"
import { DayChart } from "../../charts/DayChart.tsx"
import { reachesOrganization } from "../../session/Session.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { count } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Select } from "../../ui/Select.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { CapPanel } from "./CapPanel.tsx"
import { CostChart } from "./CostChart.tsx"
import { GROUPINGS } from "./groupings.ts"
import { monthName, monthsUntil } from "./months.ts"
import type { UsageSearch } from "./routes.ts"
import { outcomeBars } from "./usageSeries.ts"

const OUTCOMES: Readonly<Record<UsageOf, string>> = {
  workspace: "Outcomes of the last 30 days",
  organization: "Outcomes of the last 7 days"
}

const Outcomes = ({ of }: { readonly of: UsageOf }) => {
  const { data, error, refetch } = useQuery(hoursQuery(useSession(), of))
  const bars = useMemo(() => data && outcomeBars(data), [data])
  if (bars !== undefined) {
    return (
      <>
        <DayChart title={OUTCOMES[of]} format={count} whole {...bars} />
        <p className="border-b border-line px-4 py-2 text-muted">
          A run that ended on a question counts as paused, also once it was answered. The answer is a run of its own.
        </p>
      </>
    )
  }
  return (
    <div className="p-4">
      <ProblemNotice error={error} onRetry={() => void refetch()} />
    </div>
  )
}

const TABS = [
  { to: "/usage", label: "Workspace" },
  { to: "/usage/organization", label: "Organization" }
] as const

interface UsageProps {
  readonly of: UsageOf
  readonly search: UsageSearch
  readonly onSearch: (search: UsageSearch) => void
}

const Usage = ({ of, onSearch, search }: UsageProps) => {
  const session = useSession()
  const choices = GROUPINGS[of]
  const by = (choices.find(({ value }) => value === search.by) ?? choices[0])?.value ?? "model"
  const { data, error, isPending, refetch } = useQuery({
    ...monthQuery(session, { of, month: search.month, by: [by] }),
    placeholderData: keepPreviousData
  })
  // By UTC. In the workspace's zone the next month may have begun: the choice begins with the later of the two.
  const thisMonth = new Date().toISOString().slice(0, 7)
  const month = search.month ?? data?.period ?? thisMonth
  const newest = [month, thisMonth].sort().at(-1) ?? month
  const months = new Set([...monthsUntil(newest), month])
  return (
    <Screen
      title="Usage"
      bar={
        <>
          {reachesOrganization(session) && <Tabs label="Whose usage" tabs={TABS} />}
          <Select label="By" value={by} choices={choices} onChange={(value) => onSearch({ ...search, by: value })} />
          <Select
            label="Month"
            value={month}
            choices={[...months].map((value) => ({ value, label: monthName(value) }))}
            onChange={(value) => onSearch({ ...search, month: value })}
          />
        </>
      }
    >
      <section aria-label="Figures" tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        {of === "workspace" && <CapPanel />}
        {error !== null && (
          <div className="p-4">
            <ProblemNotice error={error} onRetry={() => void refetch()} />
          </div>
        )}
        {isPending && <Skeleton />}
        {/* Every day that has begun is an item, with usage or without. */}
        {data !== undefined && data.items.length === 0 && (
          <p className="border-b border-line p-4 text-muted">{monthName(data.period)} has not begun yet.</p>
        )}
        {data !== undefined && data.items.length > 0 && <CostChart of={of} month={data} />}
        <Outcomes of={of} />
      </section>
    </Screen>
  )
}

const workspaceRoute = getRouteApi("/frame/usage")
const organizationRoute = getRouteApi("/frame/usage/organization")

/** The usage of the workspace, and its cost. */
export const WorkspaceUsage = () => {
  const navigate = workspaceRoute.useNavigate()
  return <Usage of="workspace" search={workspaceRoute.useSearch()} onSearch={(search) => void navigate({ search })} />
}

/** The usage of all workspaces of the organization together, and its cost. */
export const OrganizationUsage = () => {
  const navigate = organizationRoute.useNavigate()
  return (
    <Usage of="organization" search={organizationRoute.useSearch()} onSearch={(search) => void navigate({ search })} />
  )
}
