import { getRouteApi } from "@tanstack/react-router"
import { useMemo } from "react"
import { type RunFilters, runsQuery } from "../../api/runs.ts"
import { usePages } from "../../api/usePages.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { StreamNotice } from "../../ui/StreamNotice.tsx"
import { useAgentNames } from "../agents/useAgentNames.ts"
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
  const list = usePages(runsQuery(session, filters))
  const names = useAgentNames()
  const columns = useMemo(() => runColumns(names), [names])
  const { newer, showNewer, state } = useLiveRuns(filters, list.rows?.[0]?.run_id)
  useRowKeys()
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
      <List
        label="Runs"
        list={list}
        columns={columns}
        keyOf={({ run_id }) => run_id}
        empty={
          <Empty
            {...(isFiltered(filters)
              ? {
                  sentence: "No run fits these filters.",
                  action: <Button onClick={() => filter({})}>Show all runs</Button>
                }
              : { sentence: "Nothing has run here yet: trigger a run, and it appears at once.", command: FIRST_RUN })}
          />
        }
      />
    </Screen>
  )
}
