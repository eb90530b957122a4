import { useQuery } from "@tanstack/react-query"
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
 * The number of notices that are unread: read once the screen has what it shows first, once more where their stream begins, and anew when
 * one is posted or becomes read. Nothing is asked in between.
 */
export const useUnreadCount = (): number => {
  const session = useSession()
  const refresh = useRefresh(["notifications"])
  const isQuiet = useIsQuiet()
  useStream({
    key: isQuiet ? "notices" : undefined,
    hiddenMillis: HIDDEN_MILLIS,
    open: (options) => session.client.followNotifications({ ...options, onRead: refresh }),
    placeOf: ({ position }) => position,
    onBegin: refresh,
    onItems: refresh
  })
  const { data } = useQuery({ ...notificationsQuery(session), enabled: isQuiet })
  return data?.unread_count ?? 0
}
