import { Menu as Base } from "@base-ui/react/menu"
import type { ReactNode, RefObject } from "react"
import { Icon } from "./Icon.tsx"
import type { MenuItem } from "./Menu.tsx"
import type { Choice } from "./Select.tsx"

/** A menu's box: the button that it hangs from, and whether it is there. */
export interface PopupProps {
  readonly anchor: RefObject<HTMLButtonElement | null>
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

const Popup = ({ anchor, children, onOpenChange, open }: PopupProps & { readonly children: ReactNode }) => (
  <Base.Root open={open} onOpenChange={onOpenChange}>
    <Base.Portal>
      <Base.Positioner anchor={anchor} sideOffset={4} align="start" className="z-20">
        <Base.Popup
          finalFocus={anchor}
          className="max-h-[60vh] max-w-(--available-width) min-w-[max(200px,var(--anchor-width))] overflow-auto rounded-lg border border-line bg-raised p-1 shadow-popup outline-none"
        >
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

const itemClasses =
  "flex min-h-[32px] items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-hover select-none"

/** The box of a menu of actions. */
export const ActionsPopup = ({ items, ...popup }: PopupProps & { readonly items: ReadonlyArray<MenuItem> }) => (
  <Popup {...popup}>
    {items.map((item) => (
      <Base.Item
        key={item.label + (item.detail ?? "")}
        className={itemClasses}
        onClick={item.onSelect}
        {...(item.isChosen === undefined ? {} : { role: "menuitemradio", "aria-checked": item.isChosen })}
      >
        {item.icon}
        <span className="min-w-0 flex-1 truncate">{item.label}</span>
        {item.detail && <span className="text-sm text-muted">{item.detail}</span>}
        {item.isChosen && <Icon name="check" />}
      </Base.Item>
    ))}
  </Popup>
)

interface ChoicesPopupProps extends PopupProps {
  readonly value: string
  readonly choices: ReadonlyArray<Choice<string>>
  readonly onChange: (value: string) => void
}

/** The box of a menu in which one item is chosen. */
export const ChoicesPopup = ({ choices, onChange, value, ...popup }: ChoicesPopupProps) => (
  <Popup {...popup}>
    <Base.RadioGroup value={value} onValueChange={onChange}>
      {choices.map((choice) => (
        <Base.RadioItem key={choice.value} value={choice.value} closeOnClick className={itemClasses}>
          <span className="min-w-0 flex-1 truncate">{choice.label}</span>
          <Base.RadioItemIndicator>
            <Icon name="check" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Popup>
)
