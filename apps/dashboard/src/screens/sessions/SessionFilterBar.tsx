import type { SessionFilters } from "../../api/sessions.ts"
import { Button } from "../../ui/Button.tsx"
import { classes } from "../../ui/classes.ts"
import { inputClasses } from "../../ui/Field.tsx"
import { Filter } from "../../ui/Filter.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { AgentFilter } from "../agents/AgentFilter.tsx"
import { SESSION_STATES, sessionStatusOf } from "./filters.ts"

interface SessionFilterBarProps {
  readonly filters: SessionFilters
  readonly onChange: (filters: SessionFilters) => void
}

const STATES = SESSION_STATES.map((value) => ({ value, label: sessionStatusOf(value).word }))

/** The search and the filters of the list, each of which is part of the address. */
export const SessionFilterBar = ({ filters, onChange }: SessionFilterBarProps) => {
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
          // The browser keeps what is typed; under another key the box takes the text of another address, as after going back.
          key={filters.q ?? ""}
          type="search"
          name="q"
          aria-label="First message, or the beginning of an id"
          placeholder="First message, or an id"
          maxLength={200}
          defaultValue={filters.q ?? ""}
          className={classes(inputClasses, "h-[32px]")}
        />
        <Button type="submit">
          <Icon name="search" />
          Find
        </Button>
      </form>
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
