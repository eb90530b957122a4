import { useId } from "react"
import { Button } from "./Button.tsx"
import { classes } from "./classes.ts"
import { FaultText } from "./FaultText.tsx"
import { type Member, useFault } from "./formFaults.ts"

interface CheckListProps<Value extends string> {
  readonly label: string
  readonly choices: ReadonlyArray<{
    readonly value: Value
    readonly label: string
    readonly detail?: string | undefined
  }>
  /** A sentence about what is chosen. */
  readonly hint?: string
  /** Choices that are made at a click. */
  readonly sets?: ReadonlyArray<{ readonly label: string; readonly values: ReadonlyArray<Value> }>
  readonly chosen: ReadonlyArray<Value>
  /** The part of the body that it writes: its fault is shown here. */
  readonly member?: Member
  readonly onChange: (chosen: ReadonlyArray<Value>) => void
}

/** Any number of the values. */
export const CheckList = <Value extends string>(props: CheckListProps<Value>) => {
  const { choices, chosen, hint, label, member, onChange, sets = [] } = props
  const hintId = useId()
  const faultId = useId()
  const fault = useFault(member, label)
  return (
    <fieldset
      data-field
      className="grid gap-1"
      aria-describedby={classes(hint !== undefined && hintId, fault !== undefined && faultId) || undefined}
    >
      <legend className="mb-1 font-medium">{label}</legend>
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {sets.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {sets.map((set) => (
            <Button key={set.label} onClick={() => onChange(set.values)}>
              {set.label}
            </Button>
          ))}
        </div>
      )}
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {choices.map(({ detail, label: name, value }) => (
          <Check
            key={value}
            label={name}
            detail={detail}
            checked={chosen.includes(value)}
            onChange={(checked) => onChange(checked ? [...chosen, value] : chosen.filter((one) => one !== value))}
          />
        ))}
      </div>
      <FaultText id={faultId} fault={fault} />
    </fieldset>
  )
}

interface CheckProps {
  readonly label: string
  /** The same in plain words. */
  readonly detail?: string | undefined
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** One box that is ticked or not. */
export const Check = ({ checked, detail, label, onChange }: CheckProps) => (
  <label className="flex min-h-[28px] items-center gap-2">
    <input
      type="checkbox"
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
      className="size-[16px] shrink-0 accent-action"
    />
    <span className="min-w-0">
      <span className="foreign block">{label}</span>
      {detail !== undefined && <span className="block text-sm text-muted">{detail}</span>}
    </span>
  </label>
)
