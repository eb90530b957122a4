import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { activityAboutQuery } from "../../api/feeds.ts"
import { useSession } from "../../session/SessionContext.tsx"

/**
 * The ids of the deliveries that are tests. A delivery does not say so itself, but its id is that of its event, and the activity feed names
 * the events that were sent as tests. Read anew when another delivery is the newest; empty for those who may not read that feed.
 */
export const useTests = (endpointId: string, newestId: string | undefined): ReadonlySet<unknown> => {
  const session = useSession()
  const { data } = useQuery({
    ...activityAboutQuery(session, endpointId, newestId ?? ""),
    enabled: newestId !== undefined && session.can("feeds:read") && session.workspace !== undefined,
    placeholderData: keepPreviousData
  })
  return useMemo(() => {
    const tested = (data ?? []).filter(({ action }) => action === "webhook_endpoint.tested")
    return new Set(tested.map(({ payload }) => payload["event_id"]))
  }, [data])
}
