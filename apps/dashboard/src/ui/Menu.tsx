import { Menu as Base } from "@base-ui/react/menu"
import type { ReactNode } from "react"

/** One line of a menu. */
export interface MenuItem {
  readonly label: string
  readonly detail?: string
  readonly icon?: ReactNode
  readonly onSelect: () => void
}

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode
  readonly triggerClassName: string
  /** Said before what the button shows. */
  readonly label: string
  readonly items: ReadonlyArray<MenuItem>
}

const itemClasses =
  "flex min-h-[32px] items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-hover select-none"

/** A menu of actions, by mouse and by keys. */
export const Menu = ({ items, label, trigger, triggerClassName }: MenuProps) => (
  <Base.Root>
    <Base.Trigger className={triggerClassName}>
      <span className="sr-only">{label} </span>
      {trigger}
    </Base.Trigger>
    <Base.Portal>
      <Base.Positioner sideOffset={4} align="start" className="z-20">
        <Base.Popup className="max-h-[60vh] min-w-[200px] overflow-auto rounded-lg border border-line bg-raised p-1 shadow-popup outline-none">
          {items.map((item) => (
            <Base.Item key={item.label + (item.detail ?? "")} className={itemClasses} onClick={item.onSelect}>
              {item.icon}
              <span className="min-w-0 flex-1 truncate">{item.label}</span>
              {item.detail && <span className="text-sm text-muted">{item.detail}</span>}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
