import { type Choice, Select } from "./Select.tsx"

const ANY = "any"

interface FilterProps<Value extends string> {
  /** Says what is filtered by; it stands before the value. */
  readonly label: string
  /** Undefined while nothing is filtered by it. */
  readonly value: Value | undefined
  readonly choices: ReadonlyArray<Choice<Value>>
  /** How the choice of all is called. */
  readonly any?: string
  readonly onChange: (value: Value | undefined) => void
}

/** A filter of a list: one value out of few, or any. */
export const Filter = <Value extends string>({ any = "Any", choices, label, onChange, value }: FilterProps<Value>) => (
  <Select
    label={label}
    value={value ?? ANY}
    choices={[{ value: ANY, label: any }, ...choices]}
    onChange={(chosen) => onChange(chosen === ANY ? undefined : (chosen as Value))}
  />
)
