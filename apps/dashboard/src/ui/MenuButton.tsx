import { type AriaAttributes, type KeyboardEvent, type ReactNode, Suspense, useRef, useState } from "react"
import type { PopupProps } from "./menuPopups.tsx"

/** Loads the boxes of menus: a third of what the first page would weigh, and of use only once one opens. */
export const loadPopups = () => import("./menuPopups.tsx")

interface MenuButtonProps extends Pick<AriaAttributes, "aria-describedby" | "aria-labelledby"> {
  readonly id?: string | undefined
  readonly className: string
  readonly children: ReactNode
  readonly popup: (props: PopupProps) => ReactNode
}

/** The button of a menu, whose box is loaded when somebody is about to open it. */
export const MenuButton = ({ children, className, popup, ...rest }: MenuButtonProps) => {
  const anchor = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  // From the first opening on the box stays rendered: it gives the focus back only if it is there as it closes.
  const [wasOpen, setWasOpen] = useState(false)
  const open = () => {
    setWasOpen(true)
    setOpen(true)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
    event.preventDefault()
    open()
  }
  return (
    <>
      <button
        {...rest}
        ref={anchor}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={open}
        onKeyDown={onKeyDown}
        // A failure shows when it opens.
        onPointerEnter={() => void loadPopups().catch(() => undefined)}
        className={className}
      >
        {children}
      </button>
      <Suspense>{wasOpen && popup({ anchor, open: isOpen, onOpenChange: setOpen })}</Suspense>
    </>
  )
}
