import { Dialog as Base } from "@base-ui/react/dialog"
import { type ReactNode, useRef } from "react"
import { Icon } from "./Icon.tsx"

interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  /** One sentence about what happens here. */
  readonly description?: string
  /** In the middle, unless it is a drawer at the right. */
  readonly placement?: "middle" | "right"
  readonly children: ReactNode
}

/** How every dialog's box is drawn; the command palette has one without a title. */
export const popupClasses =
  "fixed left-1/2 top-[12vh] z-20 max-h-[76vh] w-[calc(100vw-24px)] max-w-[480px] -translate-x-1/2 scroll-pt-14 scroll-pb-18 overflow-auto rounded-lg border border-line bg-raised shadow-popup outline-none"

const drawerClasses =
  "fixed inset-y-0 right-0 z-20 w-full max-w-[440px] scroll-pt-14 scroll-pb-18 overflow-auto border-l border-line bg-raised shadow-popup outline-none"

export const backdropClasses = "fixed inset-0 z-10 bg-[rgb(0_0_0/0.35)]"

/** The last line of a dialog, with its buttons: like the first one it stays in sight while what is between them is scrolled. */
export const footClasses =
  "sticky bottom-0 z-3 -mx-4 -mb-4 flex flex-wrap justify-end gap-2 border-t border-line bg-raised px-4 py-3"

/** Gets the focus when a dialog opens: the first field of its form, or the first button in what is marked with `data-first`. */
const FIRST = "form :is(input, textarea, button):enabled, [data-first] button"

/**
 * A dialog over the page: it holds the focus, Escape closes it, and the focus goes back to where it was. It opens with the focus on
 * its first field, so that Enter sends what was written; one without fields, on the button that closes it.
 */
export const Dialog = ({ children, description, onOpenChange, open, placement, title }: DialogProps) => {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className={backdropClasses} />
        <Base.Popup
          ref={popup}
          // After a touch, a field with the focus would open the keyboard over the dialog. `true` leaves it to Base UI.
          initialFocus={(by) =>
            by === "touch" ? popup.current : (popup.current?.querySelector<HTMLElement>(FIRST) ?? true)
          }
          className={placement === "right" ? drawerClasses : popupClasses}
        >
          <header className="sticky top-0 z-3 flex items-center justify-between gap-3 border-b border-line bg-raised px-4 py-2.5">
            <Base.Title className="text-lg font-semibold">{title}</Base.Title>
            <Base.Close
              aria-label="Close"
              className="inline-flex size-[28px] items-center justify-center rounded-md text-muted hover:bg-hover"
            >
              <Icon name="close" />
            </Base.Close>
          </header>
          <div className="p-4">
            {description && <Base.Description className="mb-3 text-muted">{description}</Base.Description>}
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
