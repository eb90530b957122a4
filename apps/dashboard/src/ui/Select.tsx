import { lazy } from "react"
import { Icon } from "./Icon.tsx"
import { loadPopups, MenuButton } from "./MenuButton.tsx"

/** One of the values to choose among. */
export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

interface SelectProps<Value extends string> {
  /** Says what is chosen; it stands before the value. */
  readonly label: string
  readonly value: Value
  readonly choices: ReadonlyArray<Choice<Value>>
  readonly onChange: (value: Value) => void
}

const ChoicesPopup = lazy(async () => ({ default: (await loadPopups()).ChoicesPopup }))

/** One value out of few: a menu of which one item is chosen. Base UI's own select would cost another 34 kB. */
export const Select = <Value extends string>({ choices, label, onChange, value }: SelectProps<Value>) => {
  const chosen = choices.find((choice) => choice.value === value)?.label ?? value
  return (
    <MenuButton
      className="inline-flex h-[32px] max-w-[240px] items-center gap-1.5 rounded-md border border-line bg-panel px-2.5 hover:bg-hover select-none"
      popup={(popup) => (
        <ChoicesPopup {...popup} value={value} choices={choices} onChange={(next) => onChange(next as Value)} />
      )}
    >
      <span className="text-muted">{label} </span>
      <span className="truncate font-medium">{chosen}</span>
      <Icon name="chevron" />
    </MenuButton>
  )
}
