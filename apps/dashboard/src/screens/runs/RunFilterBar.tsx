import type { RunFilters } from "../../api/runs.ts"
import { Button } from "../../ui/Button.tsx"
import { Filter } from "../../ui/Filter.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { AgentFilter } from "../agents/AgentFilter.tsx"
import { RUN_FILTERS, statusOf } from "./filters.ts"

interface RunFilterBarProps {
  readonly filters: RunFilters
  readonly onChange: (filters: RunFilters) => void
}

const STATES = RUN_FILTERS.map((value) => ({ value, label: statusOf(value).word }))

/** The filters of the list, each of which is part of the address. */
export const RunFilterBar = ({ filters, onChange }: RunFilterBarProps) => {
  const others = [
    ["tag", filters.tag],
    ["session_id", filters.session_id]
  ] as const
  return (
    <>
      {others.map(
        ([name, value]) =>
          value !== undefined && (
            <Button
              key={name}
              aria-label={`Without the filter ${name} ${value}`}
              onClick={() => onChange({ ...filters, [name]: undefined })}
            >
              <span className="text-muted">{name === "tag" ? "Tag" : "Session"}</span>
              <span className="max-w-[140px] truncate">{name === "tag" ? value : value.slice(-8)}</span>
              <Icon name="close" />
            </Button>
          )
      )}
      <Filter
        label="Status"
        value={filters.status}
        choices={STATES}
        onChange={(status) => onChange({ ...filters, status })}
      />
      <AgentFilter agentId={filters.agent_id} onChange={(agent_id) => onChange({ ...filters, agent_id })} />
    </>
  )
}
