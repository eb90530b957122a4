import { Menu as Base } from "@base-ui/react/menu"
import { Icon } from "./Icon.tsx"

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

/** One value out of few: a menu of which one item is chosen. Base UI's own select would cost another 34 kB. */
export const Select = <Value extends string>({ choices, label, onChange, value }: SelectProps<Value>) => {
  const chosen = choices.find((choice) => choice.value === value)?.label ?? value
  return (
    <Base.Root>
      <Base.Trigger className="inline-flex h-[32px] max-w-[240px] items-center gap-1.5 rounded-md border border-line bg-panel px-2.5 hover:bg-hover select-none">
        <span className="text-muted">{label} </span>
        <span className="truncate font-medium">{chosen}</span>
        <Icon name="chevron" />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="start" className="z-20">
          <Base.Popup className="max-h-[60vh] min-w-[180px] overflow-auto rounded-lg border border-line bg-raised p-1 shadow-popup outline-none">
            <Base.RadioGroup value={value} onValueChange={(next: Value) => onChange(next)}>
              {choices.map((choice) => (
                <Base.RadioItem
                  key={choice.value}
                  value={choice.value}
                  closeOnClick
                  className="flex h-[32px] items-center gap-2 rounded-sm px-2 outline-none select-none data-highlighted:bg-hover"
                >
                  <span className="min-w-0 flex-1 truncate">{choice.label}</span>
                  <Base.RadioItemIndicator>
                    <Icon name="check" />
                  </Base.RadioItemIndicator>
                </Base.RadioItem>
              ))}
            </Base.RadioGroup>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
