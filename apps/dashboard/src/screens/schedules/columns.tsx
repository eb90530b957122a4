import type { Schedule } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Status } from "../../ui/Status.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"

const State = ({ enabled, last_error }: Schedule) => {
  const word = enabled ? "On" : "Paused"
  if (last_error === null) return <Status tone={enabled ? "good" : "idle"} word={word} />
  return (
    <span title={last_error.detail}>
      <Status tone={enabled ? "warn" : "bad"} word={`${word}: ${last_error.code}`} />
    </span>
  )
}

/** The columns of the list of schedules; the names of agents come from elsewhere. */
export const scheduleColumns = (
  agentNames: ReadonlyMap<string, string>,
  actions: (schedule: Schedule) => ReactNode
): ReadonlyArray<Column<Schedule>> => [
  { id: "name", title: "Schedule", width: "minmax(140px, 1fr)", cell: ({ name }) => name ?? "–" },
  { id: "status", title: "Status", width: "minmax(80px, 160px)", cell: (schedule) => <State {...schedule} /> },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(120px, 180px)",
    cell: ({ agent_id }) => (
      <Link to="/agents/$agentId" params={{ agentId: agent_id }} className="text-accent underline">
        {agentNames.get(agent_id) ?? agent_id.slice(-8)}
      </Link>
    )
  },
  {
    id: "cron",
    title: "When",
    width: "minmax(140px, 200px)",
    cell: ({ cron, timezone }) => (
      <>
        <span className="font-mono text-sm">{cron}</span> <span className="text-muted">{timezone}</span>
      </>
    )
  },
  {
    id: "next",
    title: "Next run",
    width: "104px",
    numeric: true,
    cell: ({ next_run_at }) => (next_run_at === null ? "–" : <Time at={next_run_at} due />)
  },
  {
    id: "last",
    title: "Last run",
    width: "104px",
    numeric: true,
    cell: ({ last_run_at, last_run_id }) =>
      last_run_id === null || last_run_at === null ? (
        "–"
      ) : (
        <Link to="/runs/$runId" params={{ runId: last_run_id }} className="text-accent underline">
          <Time at={last_run_at} />
        </Link>
      )
  },
  { id: "actions", title: "Actions", width: "60px", cell: actions }
]
