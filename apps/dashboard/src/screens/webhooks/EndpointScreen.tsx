import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { usePages } from "../../api/usePages.ts"
import { deliveriesQuery, endpointQuery, rereadMillis } from "../../api/webhooks.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Filter } from "../../ui/Filter.tsx"
import { List } from "../../ui/List.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { barGroupClasses, Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { DeliveryDialog } from "./DeliveryDialog.tsx"
import { deliveryColumns } from "./deliveryColumns.tsx"
import { EndpointActions } from "./EndpointActions.tsx"
import { Replays } from "./Replays.tsx"
import { EndpointState, STATES } from "./states.tsx"
import { useTests } from "./useTests.ts"

const route = getRouteApi("/frame/webhooks/$endpointId")

/** An endpoint with its deliveries and replays. */
export const EndpointScreen = () => {
  const session = useSession()
  const { endpointId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(session, endpointId))
  const options = deliveriesQuery(session, endpointId, search.state)
  // There is no stream of deliveries: while one waits, or the first is waited for, its list is read again.
  const list = usePages({
    ...options,
    refetchInterval: ({ state: { data } }) => {
      const newest = data?.pages[0]?.items
      return newest?.length === 0 ? 2_000 : rereadMillis(newest ?? [], data?.pages.length)
    }
  })
  const tests = useTests(endpointId, list.rows?.[0]?.delivery_id)
  useRowKeys()
  if (error !== null) {
    return (
      <Screen title="Endpoint">
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      </Screen>
    )
  }
  if (endpoint === undefined) return <Skeleton />
  return (
    <Screen
      title="Endpoint"
      bar={
        <div className={barGroupClasses}>
          <EndpointActions endpoint={endpoint} />
        </div>
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-2">
        <Link to="/webhooks" className="text-accent underline">
          All endpoints
        </Link>
        <EndpointState endpoint={endpoint} />
        <span className="foreign min-w-0 font-mono text-sm">{endpoint.url}</span>
        {endpoint.description !== null && <span className="foreign text-muted">{endpoint.description}</span>}
        <div className="ml-auto">
          <Filter
            label="Deliveries"
            value={search.state}
            choices={STATES}
            onChange={(state) => void navigate({ search: { state } })}
          />
        </div>
      </div>
      <Replays endpointId={endpointId} />
      <List
        label="Deliveries"
        list={list}
        columns={deliveryColumns(endpointId, search.state, tests)}
        keyOf={({ delivery_id }) => delivery_id}
        empty={
          <Empty
            sentence={
              search.state === undefined
                ? "Nothing was sent here yet: send a test event, or wait for the first run."
                : "No delivery is in this state."
            }
          />
        }
      />
      {search.delivery !== undefined && (
        <DeliveryDialog
          endpointId={endpointId}
          deliveryId={search.delivery}
          isTest={tests.has(search.delivery)}
          onClose={() => void navigate({ search: { state: search.state } })}
        />
      )}
    </Screen>
  )
}
