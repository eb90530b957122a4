import { useQuery } from "@tanstack/react-query"
import { agentsQuery } from "../../api/agents.ts"
import type { SessionFilters } from "../../api/sessions.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { inputClasses } from "../../ui/Field.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Select } from "../../ui/Select.tsx"
import { SESSION_STATES, sessionStatusOf } from "./filters.ts"

interface SessionFilterBarProps {
  readonly filters: SessionFilters
  readonly onChange: (filters: SessionFilters) => void
}

const ANY = "any"

const STATES = [
  { value: ANY, label: "Any" },
  ...SESSION_STATES.map((state) => ({ value: state, label: sessionStatusOf(state).word }))
] as const

const orNone = <Value extends string>(value: Value | typeof ANY) => (value === ANY ? undefined : value)

/** The search and the filters of the list, each of which is part of the address. */
export const SessionFilterBar = ({ filters, onChange }: SessionFilterBarProps) => {
  const session = useSession()
  const { data: agents = [] } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const search = (form: FormData) => onChange({ ...filters, q: String(form.get("q") ?? "").trim() || undefined })
  return (
    <>
      <form
        role="search"
        className="flex gap-1"
        onSubmit={(event) => {
          event.preventDefault()
          search(new FormData(event.currentTarget))
        }}
      >
        <input
          // Another address is another text.
          key={filters.q ?? ""}
          type="search"
          name="q"
          aria-label="First message, or the beginning of an id"
          placeholder="First message, or an id"
          maxLength={200}
          defaultValue={filters.q ?? ""}
          className={inputClasses}
        />
        <Button type="submit">
          <Icon name="search" />
          Find
        </Button>
      </form>
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
