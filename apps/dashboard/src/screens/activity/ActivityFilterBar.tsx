import { Select } from "../../ui/Select.tsx"
import { ACTORS, type ActivitySearch, actorWord, RESOURCES, resourceWord, SPANS } from "./filters.ts"

interface ActivityFilterBarProps {
  readonly search: ActivitySearch
  readonly onChange: (search: ActivitySearch) => void
}

const ANY = "any"

const RESOURCE_CHOICES = [
  { value: ANY, label: "Any" },
  ...RESOURCES.map((value) => ({ value, label: resourceWord(value) }))
] as const

const ACTOR_CHOICES = [
  { value: ANY, label: "Anybody" },
  ...ACTORS.map((value) => ({ value, label: actorWord(value) }))
] as const

const SPAN_WORDS = { "1d": "Last day", "7d": "Last 7 days", "30d": "Last 30 days" }

const SPAN_CHOICES = [
  { value: ANY, label: "Any" },
  ...SPANS.map((value) => ({ value, label: SPAN_WORDS[value] }))
] as const

const orNone = <Value extends string>(value: Value | typeof ANY) => (value === ANY ? undefined : value)

/** The filters of the record, each of which is part of the address. */
export const ActivityFilterBar = ({ onChange, search }: ActivityFilterBarProps) => (
  <>
    <Select
      label="About"
      value={search.resource ?? ANY}
      choices={RESOURCE_CHOICES}
      onChange={(resource) => onChange({ ...search, resource: orNone(resource) })}
    />
    <Select
      label="By"
      value={search.actor ?? ANY}
      choices={ACTOR_CHOICES}
      onChange={(actor) => onChange({ ...search, actor: orNone(actor) })}
    />
    <Select
      label="Time"
      value={search.span ?? ANY}
      choices={SPAN_CHOICES}
      onChange={(span) => onChange({ ...search, span: orNone(span) })}
    />
  </>
)
