import { getRouteApi } from "@tanstack/react-router"
import { useMemo } from "react"
import { type SessionFilters, sessionsQuery } from "../../api/sessions.ts"
import { usePages } from "../../api/usePages.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { useAgentNames } from "../agents/useAgentNames.ts"
import { runCommand } from "../first-steps/commands.ts"
import { useCommandMeans } from "../first-steps/useCommandMeans.tsx"
import { sessionColumns } from "./columns.tsx"
import { SessionFilterBar } from "./SessionFilterBar.tsx"

const route = getRouteApi("/frame/sessions")

const isFiltered = (filters: SessionFilters): boolean => Object.values(filters).some((value) => value !== undefined)

/** The sessions of the workspace, newest first. */
export const Sessions = () => {
  const session = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = usePages(sessionsQuery(session, filters))
  const names = useAgentNames()
  const means = useCommandMeans({ isOfAgent: true })
  const columns = useMemo(() => sessionColumns(names), [names])
  useRowKeys()
  const filter = (next: SessionFilters) => void navigate({ search: next })
  const none = isFiltered(filters) ? (
    <Empty
      sentence="No session fits these filters."
      action={<Button onClick={() => filter({})}>Show all sessions</Button>}
    />
  ) : (
    <Empty
      sentence="No session has begun here yet: each run begins one, or joins one."
      command={runCommand(location.origin, means.key, means.agentId)}
      note={means.note}
    />
  )
  return (
    <Screen title="Sessions" bar={<SessionFilterBar filters={filters} onChange={filter} />}>
      <List
        label="Sessions"
        list={list}
        columns={columns}
        keyOf={({ session_id }) => session_id}
        empty={
          list.hasMore ? (
            <Empty
              sentence="None of the newest sessions fits these filters."
              action={
                <Button disabled={list.isReadingOn} onClick={list.readOn}>
                  Look further back
                </Button>
              }
            />
          ) : (
            none
          )
        }
      />
    </Screen>
  )
}
