import { useQueryClient } from "@tanstack/react-query"
import { useStream } from "../api/useStream.ts"
import { useSession } from "../session/SessionContext.tsx"

/**
 * How long a hidden tab keeps the stream. A browser has six connections with a server, for all of its tabs: only those that are
 * looked at hold one.
 */
const HIDDEN_MILLIS = 1_000

/** Reads the notices anew when one is posted. Nothing is asked in between. */
export const useLiveNotices = (): void => {
  const { client } = useSession()
  const queries = useQueryClient()
  useStream({
    key: "notices",
    hiddenMillis: HIDDEN_MILLIS,
    open: (after, signal) => client.followNotifications({ signal, ...(after === undefined ? {} : { after }) }),
    placeOf: ({ position }) => position,
    onItems: () => void queries.invalidateQueries({ queryKey: ["notifications"] })
  })
}
