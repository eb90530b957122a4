import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useCallback, useMemo } from "react"
import { agentsQuery } from "../../api/agents.ts"
import { type SessionFilters, sessionsQuery } from "../../api/sessions.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Table } from "../../ui/Table.tsx"
import { sessionColumns } from "./columns.tsx"
import { SessionFilterBar } from "./SessionFilterBar.tsx"

const route = getRouteApi("/frame/sessions")

const FIRST_SESSION = `curl ${location.origin}/api/v1/runs/ -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"agent_id": "'$AGENT'", "message": "Hello"}'`

const isFiltered = (filters: SessionFilters): boolean => Object.values(filters).some((value) => value !== undefined)

/** The sessions of the workspace, newest first. */
export const Sessions = () => {
  const session = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = useInfiniteQuery({
    ...sessionsQuery(session, filters),
    placeholderData: keepPreviousData
  })
  const { data: agents } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const columns = useMemo(
    () => sessionColumns(new Map(agents?.map(({ agent_id, name }) => [agent_id, name] as const))),
    [agents]
  )
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  useRowKeys()
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  const filter = (next: SessionFilters) => void navigate({ search: next })
  return (
    <Screen title="Sessions" bar={<SessionFilterBar filters={filters} onChange={filter} />}>
      {error !== null && (
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {isPending && <Skeleton />}
      {rows.length > 0 && (
        <Table label="Sessions" columns={columns} rows={rows} keyOf={({ session_id }) => session_id} onEnd={readOn} />
      )}
      {data !== undefined && rows.length === 0 && hasNextPage && (
        <Empty
          sentence="None of the newest sessions fits these filters."
          action={
            <Button disabled={isFetchingNextPage} onClick={readOn}>
              Look further back
            </Button>
          }
        />
      )}
      {data !== undefined && rows.length === 0 && !hasNextPage && (
        <Empty
          {...(isFiltered(filters)
            ? {
                sentence: "No session fits these filters.",
                action: <Button onClick={() => filter({})}>Show all sessions</Button>
              }
            : {
                sentence: "No session has begun here yet: each run begins one, or joins one.",
                command: FIRST_SESSION
              })}
        />
      )}
    </Screen>
  )
}
