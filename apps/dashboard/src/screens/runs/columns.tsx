import type { Run } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { Copy } from "../../ui/Copy.tsx"
import { count, duration, money } from "../../ui/numbers.ts"
import { Status } from "../../ui/Status.tsx"
import { type Column, rowLinkClasses } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { stateOf, statusOf } from "./filters.ts"

/** A run in one line: why it failed, else its answer, else its prompt. */
const gist = ({ error, message, prompt }: Run): string => error ?? message ?? prompt ?? ""

const tookMillis = ({ finished_at, started_at }: Run): number | undefined =>
  started_at === null || finished_at === null ? undefined : Date.parse(finished_at) - Date.parse(started_at)

/** The columns of the list of runs; the names of agents come from elsewhere. */
export const runColumns = (agentNames: ReadonlyMap<string, string>): ReadonlyArray<Column<Run>> => [
  {
    id: "run",
    title: "Run",
    width: "110px",
    cell: ({ run_id }) => (
      <span className="flex items-center">
        <Link to="/runs/$runId" params={{ runId: run_id }} className={rowLinkClasses} title={run_id}>
          {run_id.slice(-8)}
        </Link>
        <span className="relative z-1">
          <Copy text={run_id} label={`Copy run ${run_id}`} />
        </span>
      </span>
    )
  },
  { id: "status", title: "Status", width: "104px", cell: (run) => <Status {...statusOf(stateOf(run))} /> },
  {
    id: "agent",
    title: "Agent",
    width: "minmax(100px, 160px)",
    cell: ({ agent_id }) => agentNames.get(agent_id) ?? agent_id.slice(-8)
  },
  {
    id: "gist",
    title: "Last said",
    width: "minmax(200px, 1fr)",
    cell: (run) => <span className="text-muted">{gist(run).slice(0, 300)}</span>
  },
  {
    id: "tokens",
    title: "Tokens",
    width: "80px",
    numeric: true,
    cell: ({ usage }) => (usage === null ? "–" : count(usage.input_tokens + usage.output_tokens))
  },
  { id: "cost", title: "Cost", width: "84px", numeric: true, cell: ({ cost_usd }) => money(cost_usd) },
  {
    id: "took",
    title: "Took",
    width: "84px",
    numeric: true,
    cell: (run) => {
      const millis = tookMillis(run)
      return millis === undefined ? "–" : duration(millis)
    }
  },
  {
    id: "created",
    title: "Triggered",
    width: "104px",
    numeric: true,
    cell: ({ created_at }) => <Time at={created_at} />
  }
]
