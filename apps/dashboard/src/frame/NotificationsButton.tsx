import { lazy, Suspense, useState } from "react"
import { Icon } from "../ui/Icon.tsx"
import { count } from "../ui/numbers.ts"
import { useShortcut } from "./shortcuts.ts"
import { useUnreadCount } from "./useUnreadCount.ts"

const NotificationsDrawer = lazy(async () => ({
  default: (await import("./NotificationsDrawer.tsx")).NotificationsDrawer
}))

/** Says how many notices are unread, and opens them. */
export const NotificationsButton = () => {
  const unread = useUnreadCount()
  const [isOpen, setOpen] = useState(false)
  useShortcut("n", "Notifications", () => setOpen(true))
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="flex h-[32px] shrink-0 items-center gap-2 rounded-md px-2 text-muted hover:bg-hover"
      >
        <Icon name="bell" />
        <span className="max-md:sr-only">Notifications</span>
        {unread > 0 && (
          <span className="ml-auto rounded-full bg-action px-1.5 text-xs text-on-action tabular-nums">
            {count(unread)}
            <span className="sr-only"> unread</span>
          </span>
        )}
      </button>
      <Suspense>{isOpen && <NotificationsDrawer onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
