import type { Endpoint } from "@agent-platform/client"
import { useQuery } from "@tanstack/react-query"
import { LATEST_DELIVERIES, latestDeliveriesQuery } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { count } from "../../ui/numbers.ts"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { answerOf, healthOf } from "./healthOf.ts"

/**
 * How the newest attempt at an endpoint ended and, where it failed, how many failed in a row. Each row of the list asks for this by itself:
 * an organization has at most ten active endpoints.
 */
export const EndpointHealth = ({ endpoint: { id } }: { readonly endpoint: Endpoint }) => {
  const { data, error } = useQuery(latestDeliveriesQuery(useSession(), id))
  if (error !== null) return <span className="text-muted">Not known</span>
  if (data === undefined) return null
  const { failures, noneArrived, last } = healthOf(data)
  if (last === undefined) return <span className="text-muted">Nothing sent yet</span>
  const least = noneArrived && data.length === LATEST_DELIVERIES ? "At least " : ""
  return (
    <Status
      tone={failures === 0 ? "good" : "bad"}
      word={
        <span title={`${answerOf(last)}. By its latest ${LATEST_DELIVERIES} deliveries`}>
          {failures < 2 ? (
            <>
              {answerOf(last)}, <Time at={last.attempted_at} />
            </>
          ) : (
            `${least}${count(failures)} failed in a row: ${answerOf(last)}`
          )}
        </span>
      }
    />
  )
}
