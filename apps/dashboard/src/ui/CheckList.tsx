import { useId } from "react"
import { FaultText } from "./FaultText.tsx"
import { type Member, useFault } from "./formFaults.ts"

interface CheckListProps<Value extends string> {
  readonly label: string
  readonly choices: ReadonlyArray<{ readonly value: Value; readonly label: string }>
  readonly chosen: ReadonlyArray<Value>
  /** The part of the body that it writes: its fault is shown here. */
  readonly member?: Member
  readonly onChange: (chosen: ReadonlyArray<Value>) => void
}

/** Any number of the values. */
export const CheckList = <Value extends string>(props: CheckListProps<Value>) => {
  const { choices, chosen, label, member, onChange } = props
  const faultId = useId()
  const fault = useFault(member)
  return (
    <fieldset className="grid gap-1" aria-describedby={fault === undefined ? undefined : faultId}>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
        {choices.map(({ label: name, value }) => (
          <Check
            key={value}
            label={name}
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
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

/** One box that is ticked or not. */
export const Check = ({ checked, label, onChange }: CheckProps) => (
  <label className="flex min-h-[28px] items-center gap-2">
    <input
      type="checkbox"
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
      className="size-[16px] accent-action"
    />
    <span className="foreign">{label}</span>
  </label>
)
