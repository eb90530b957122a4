import { useRefresh } from "../api/useRefresh.ts"
import { useStream } from "../api/useStream.ts"
import { useSession } from "../session/SessionContext.tsx"

/**
 * How long a hidden tab keeps the stream. A browser has six connections with a server, for all of its tabs: only those that are
 * looked at hold one.
 */
const HIDDEN_MILLIS = 1_000

/** Reads the notices anew when one is posted, and once where their stream begins. Nothing is asked in between. */
export const useLiveNotices = (): void => {
  const { client } = useSession()
  const refresh = useRefresh(["notifications"])
  useStream({
    key: "notices",
    hiddenMillis: HIDDEN_MILLIS,
    open: client.followNotifications,
    placeOf: ({ position }) => position,
    onBegin: refresh,
    onItems: refresh
  })
}
