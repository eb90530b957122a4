import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { activityAboutQuery } from "../../api/feeds.ts"
import { useSession } from "../../session/SessionContext.tsx"

/**
 * The ids of the deliveries that are tests, by the record of actions: a delivery itself does not say so. Read anew when another delivery is
 * the newest; empty for whom it is not allowed to see who did what.
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
