import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useMemo } from "react"
import { type RunFilters, runsQuery } from "../../api/runs.ts"
import { usePages } from "../../api/usePages.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { readTrial } from "../../session/startLink.ts"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { List } from "../../ui/List.tsx"
import { barGroupClasses, Screen } from "../../ui/Screen.tsx"
import { StreamNotice } from "../../ui/StreamNotice.tsx"
import { useAgentNames } from "../agents/useAgentNames.ts"
import { storeSteps, useSteps } from "../first-steps/storedSteps.ts"
import { runColumns } from "./columns.tsx"
import { NewRun } from "./NewRun.tsx"
import { RunFilterBar } from "./RunFilterBar.tsx"
import { useLiveRuns } from "./useLiveRuns.ts"

const route = getRouteApi("/frame/runs")

const FirstSteps = lazy(async () => ({ default: (await import("../first-steps/FirstSteps.tsx")).FirstSteps }))

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
  const isEmpty = list.rows?.length === 0 && list.error === null && !isFiltered(filters)
  // The first steps stand above the list from when it was first seen empty, or the link of npm start was opened, until somebody puts
  // them away; an empty list has them always. The browser keeps which of these it is.
  const workspaceId = session.workspace?.id ?? ""
  const steps = useSteps(workspaceId)
  const beginsSteps = steps === "unseen" && (isEmpty || readTrial()?.workspace_id === workspaceId)
  useEffect(() => {
    if (beginsSteps) storeSteps(workspaceId, "shown")
  }, [workspaceId, beginsSteps])
  const hasSteps = isEmpty || (steps === "shown" && list.rows !== undefined && !isFiltered(filters))
  useRowKeys()
  const filter = (next: RunFilters) => void navigate({ search: next })
  return (
    <Screen
      title="Runs"
      bar={
        <div className={barGroupClasses}>
          <span role="status" className="empty:absolute">
            {newer > 0 && <Button onClick={showNewer}>{newer} new</Button>}
          </span>
          <RunFilterBar filters={filters} onChange={filter} />
          {session.can("runs:write") && session.can("agents:read") && <NewRun agentId={filters.agent_id} />}
        </div>
      }
    >
      <StreamNotice state={state} />
      {hasSteps && (
        <Suspense>
          <FirstSteps
            key={workspaceId}
            workspaceId={workspaceId}
            isEmpty={isEmpty}
            onHide={() => storeSteps(workspaceId, "away")}
          />
        </Suspense>
      )}
      <List
        label="Runs"
        list={list}
        columns={columns}
        keyOf={({ run_id }) => run_id}
        empty={
          isFiltered(filters) && (
            <Empty
              sentence="No run fits these filters."
              action={<Button onClick={() => filter({})}>Show all runs</Button>}
            />
          )
        }
      />
    </Screen>
  )
}
