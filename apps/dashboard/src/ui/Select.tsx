import { lazy, type ReactNode } from "react"
import { classes } from "./classes.ts"
import { Field, inputClasses, labelIdOf } from "./Field.tsx"
import type { Member } from "./formFaults.ts"
import { Icon } from "./Icon.tsx"
import { loadPopups, MenuButton } from "./MenuButton.tsx"
import type { PopupProps } from "./menuPopups.tsx"

/** One of the values to choose among. */
export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

interface SelectProps<Value extends string> {
  /** Says what is chosen; it stands before the value, and in a form above it. */
  readonly label: string
  readonly value: Value
  readonly choices: ReadonlyArray<Choice<Value>>
  readonly onChange: (value: Value) => void
}

interface ChoicesProps<Value extends string> extends Omit<SelectProps<Value>, "label"> {
  readonly popup: PopupProps
}

const ChoicesPopup = lazy(async () => ({ default: (await loadPopups()).ChoicesPopup }))

const Choices = <Value extends string>({ choices, onChange, popup, value }: ChoicesProps<Value>) => (
  <ChoicesPopup {...popup} value={value} choices={choices} onChange={(next) => onChange(next as Value)} />
)

const chosenOf = <Value extends string>({ choices, value }: Pick<SelectProps<Value>, "choices" | "value">): string =>
  choices.find((choice) => choice.value === value)?.label ?? value

/** One value out of few, in a bar: a menu of which one item is chosen. Base UI's own select would cost another 34 kB. */
export const Select = <Value extends string>({ label, ...props }: SelectProps<Value>) => (
  <MenuButton
    className="inline-flex h-[32px] max-w-[240px] items-center gap-1.5 rounded-md border border-line bg-panel px-2.5 hover:bg-hover select-none"
    popup={(popup) => <Choices {...props} popup={popup} />}
  >
    <span className="shrink-0 text-muted">{label} </span>
    <span className="truncate font-medium">{chosenOf(props)}</span>
    <Icon name="chevron" />
  </MenuButton>
)

interface SelectFieldProps<Value extends string> extends SelectProps<Value> {
  readonly hint?: ReactNode
  readonly member?: Member
}

/** One value out of few, in a form: as wide as the boxes to write in, with its label above. */
export const SelectField = <Value extends string>({ hint, label, member, ...props }: SelectFieldProps<Value>) => (
  <Field label={label} member={member} {...(hint === undefined ? {} : { hint })}>
    {(ids) => (
      <MenuButton
        id={ids.id}
        aria-describedby={ids["aria-describedby"]}
        aria-labelledby={`${labelIdOf(ids.id)} ${ids.id}`}
        className={classes(
          inputClasses,
          "flex items-center gap-1.5 text-left select-none hover:bg-hover",
          ids["aria-invalid"] && "border-bad!"
        )}
        popup={(popup) => <Choices {...props} popup={popup} />}
      >
        <span className="min-w-0 flex-1">{chosenOf(props)}</span>
        <Icon name="chevron" />
      </MenuButton>
    )}
  </Field>
)
