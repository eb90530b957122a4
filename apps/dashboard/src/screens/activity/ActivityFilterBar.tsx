import { Button } from "../../ui/Button.tsx"
import { Filter } from "../../ui/Filter.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { ACTORS, type ActivitySearch, actorWord, RESOURCES, resourceWord, SPANS } from "./filters.ts"

interface ActivityFilterBarProps {
  readonly search: ActivitySearch
  readonly onChange: (search: ActivitySearch) => void
}

const RESOURCE_CHOICES = RESOURCES.map((value) => ({ value, label: resourceWord(value) }))

const ACTOR_CHOICES = ACTORS.map((value) => ({ value, label: actorWord(value) }))

const SPAN_WORDS = { "1d": "Last day", "7d": "Last 7 days", "30d": "Last 30 days" }

const SPAN_CHOICES = SPANS.map((value) => ({ value, label: SPAN_WORDS[value] }))

/** The filters of the record, each of which is part of the address. */
export const ActivityFilterBar = ({ onChange, search }: ActivityFilterBarProps) => (
  <>
    {search.about !== undefined && (
      <Button onClick={() => onChange({ ...search, about: undefined })}>
        Of {search.about.slice(-8)} alone
        <Icon name="close" />
      </Button>
    )}
    <Filter
      label="About"
      value={search.resource}
      choices={RESOURCE_CHOICES}
      onChange={(resource) => onChange({ ...search, resource })}
    />
    <Filter
      label="By"
      any="Anybody"
      value={search.actor}
      choices={ACTOR_CHOICES}
      onChange={(actor) => onChange({ ...search, actor })}
    />
    <Filter
      label="Time"
      value={search.span}
      choices={SPAN_CHOICES}
      onChange={(span) => onChange({ ...search, span })}
    />
  </>
)
