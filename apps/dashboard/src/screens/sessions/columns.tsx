import type { SessionSummary } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { Copy } from "../../ui/Copy.tsx"
import { Status } from "../../ui/Status.tsx"
import { type Column, rowLinkClasses } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { sessionStatusOf } from "./filters.ts"

/** The columns of the list of sessions; the names of agents come from elsewhere. */
export const sessionColumns = (agentNames: ReadonlyMap<string, string>): ReadonlyArray<Column<SessionSummary>> => [
  {
    id: "session",
    title: "Session",
    width: "110px",
    cell: ({ session_id }) => (
      <span className="flex items-center">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session_id }}
          className={rowLinkClasses}
          title={session_id}
        >
          {session_id.slice(-8)}
        </Link>
        <span className="relative z-1">
          <Copy text={session_id} label={`Copy session ${session_id}`} />
        </span>
      </span>
    )
  },
  { id: "status", title: "Status", width: "104px", cell: ({ status }) => <Status {...sessionStatusOf(status)} /> },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(100px, 160px)",
    cell: ({ agent_id }) => agentNames.get(agent_id) ?? agent_id.slice(-8)
  },
  { id: "first", title: "Began with", width: "minmax(160px, 1fr)", cell: ({ first_message }) => first_message ?? "–" },
  {
    id: "question",
    title: "Open question",
    width: "minmax(160px, 1fr)",
    cell: ({ open_question }) => <span className="text-muted">{open_question?.message?.slice(0, 300) ?? ""}</span>
  },
  { id: "began", title: "Began", width: "104px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> }
]
