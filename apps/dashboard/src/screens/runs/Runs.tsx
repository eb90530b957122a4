import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useCallback, useMemo } from "react"
import { agentsQuery } from "../../api/agents.ts"
import { type RunFilters, runsQuery } from "../../api/runs.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { StreamNotice } from "../../ui/StreamNotice.tsx"
import { Table } from "../../ui/Table.tsx"
import { runColumns } from "./columns.tsx"
import { RunFilterBar } from "./RunFilterBar.tsx"
import { useLiveRuns } from "./useLiveRuns.ts"

const route = getRouteApi("/frame/runs")

const FIRST_RUN = `curl ${location.origin}/api/v1/runs/ -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"agent_id": "'$AGENT'", "message": "Hello"}'`

const isFiltered = (filters: RunFilters): boolean => Object.values(filters).some((value) => value !== undefined)

/** The runs of the workspace, newest first, as they change. */
export const Runs = () => {
  const session = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = useInfiniteQuery({
    ...runsQuery(session, filters),
    placeholderData: keepPreviousData
  })
  const { data: agents } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const columns = useMemo(
    () => runColumns(new Map(agents?.map(({ agent_id, name }) => [agent_id, name] as const))),
    [agents]
  )
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const { newer, showNewer, state } = useLiveRuns(filters, rows[0]?.run_id)
  useRowKeys()
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  const filter = (next: RunFilters) => void navigate({ search: next })
  return (
    <Screen
      title="Runs"
      bar={
        <>
          <span role="status">{newer > 0 && <Button onClick={showNewer}>{newer} new</Button>}</span>
          <RunFilterBar filters={filters} onChange={filter} />
        </>
      }
    >
      <StreamNotice state={state} />
      {error !== null && (
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {isPending && <Skeleton />}
      {rows.length > 0 && (
        <Table label="Runs" columns={columns} rows={rows} keyOf={({ run_id }) => run_id} onEnd={readOn} />
      )}
      {data !== undefined && rows.length === 0 && (
        <Empty
          {...(isFiltered(filters)
            ? {
                sentence: "No run fits these filters.",
                action: <Button onClick={() => filter({})}>Show all runs</Button>
              }
            : { sentence: "Nothing has run here yet: trigger a run, and it appears at once.", command: FIRST_RUN })}
        />
      )}
    </Screen>
  )
}
