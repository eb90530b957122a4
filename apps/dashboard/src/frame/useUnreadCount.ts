import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { notificationsQuery } from "../api/feeds.ts"
import { useIsQuiet } from "../api/useIsQuiet.ts"
import { useRefresh } from "../api/useRefresh.ts"
import { useStream } from "../api/useStream.ts"
import { useSession } from "../session/SessionContext.tsx"

/**
 * How long a hidden tab keeps the stream. A browser has six connections with a server, for all of its tabs: only those that are
 * looked at hold one.
 */
const HIDDEN_MILLIS = 1_000

/**
 * The number of notices that are unread. They are read once their stream has begun, or cannot, and anew when one is posted: nothing is
 * asked in between, and nothing before the screen has what it shows first.
 */
export const useUnreadCount = (): number => {
  const session = useSession()
  const [hasBegun, setBegun] = useState(false)
  const refresh = useRefresh(["notifications"])
  const isQuiet = useIsQuiet()
  const state = useStream({
    key: isQuiet ? "notices" : undefined,
    hiddenMillis: HIDDEN_MILLIS,
    open: session.client.followNotifications,
    placeOf: ({ position }) => position,
    onBegin: () => {
      setBegun(true)
      refresh()
    },
    onItems: refresh
  })
  const { data } = useQuery({ ...notificationsQuery(session), enabled: hasBegun || state.is !== "live" })
  return data?.unread_count ?? 0
}
