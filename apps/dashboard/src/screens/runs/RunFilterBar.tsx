import { useQuery } from "@tanstack/react-query"
import { agentsQuery } from "../../api/agents.ts"
import type { RunFilters } from "../../api/runs.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Select } from "../../ui/Select.tsx"
import { RUN_FILTERS, statusOf } from "./filters.ts"

interface RunFilterBarProps {
  readonly filters: RunFilters
  readonly onChange: (filters: RunFilters) => void
}

const ANY = "any"

const STATES = [
  { value: ANY, label: "Any" },
  ...RUN_FILTERS.map((state) => ({ value: state, label: statusOf(state).word }))
] as const

const orNone = <Value extends string>(value: Value | typeof ANY) => (value === ANY ? undefined : value)

/** The filters of the list, each of which is part of the address. */
export const RunFilterBar = ({ filters, onChange }: RunFilterBarProps) => {
  const session = useSession()
  const { data: agents = [] } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
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
      <Select
        label="Status"
        value={filters.status ?? ANY}
        choices={STATES}
        onChange={(status) => onChange({ ...filters, status: orNone(status) })}
      />
      <Select
        label="Agent"
        value={filters.agent_id ?? ANY}
        choices={[
          { value: ANY, label: "Any" },
          ...agents.map(({ agent_id, name }) => ({ value: agent_id, label: name }))
        ]}
        onChange={(agentId) => onChange({ ...filters, agent_id: orNone(agentId) })}
      />
    </>
  )
}
