import { lazy, type ReactNode } from "react"
import { loadPopups, MenuButton } from "./MenuButton.tsx"

/** One line of a menu. */
export interface MenuItem {
  readonly label: string
  readonly detail?: string
  readonly icon?: ReactNode
  /** Of an item that chooses among several: whether it is the present choice. */
  readonly isChosen?: boolean
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

const ActionsPopup = lazy(async () => ({ default: (await loadPopups()).ActionsPopup }))

/** A menu of actions, by mouse and by keys. */
export const Menu = ({ items, label, trigger, triggerClassName }: MenuProps) => (
  <MenuButton className={triggerClassName} popup={(popup) => <ActionsPopup {...popup} items={items} />}>
    <span className="sr-only">{label} </span>
    {trigger}
  </MenuButton>
)
