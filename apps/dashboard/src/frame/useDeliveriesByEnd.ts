import type { Delivery } from "@agent-platform/client"
import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueries,
  useQueryClient
} from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { endpointsQuery, latestDeliveriesQuery } from "../api/webhooks.ts"
import { useSession } from "../session/SessionContext.tsx"
import type { Command } from "./useFound.ts"

interface Listed {
  readonly endpointId: string
  readonly delivery: Delivery
}

/** The deliveries of all lists that were read, whether page after page or the latest alone. The third part of a list's key is its endpoint. */
const listedDeliveries = (queries: QueryClient): ReadonlyArray<Listed> =>
  queries
    .getQueriesData<InfiniteData<{ readonly items: ReadonlyArray<Delivery> }> | ReadonlyArray<Delivery>>({
      queryKey: ["webhooks", "deliveries"]
    })
    .flatMap(([[, , endpointId], data]) => {
      const all = data === undefined ? [] : "pages" in data ? data.pages.flatMap(({ items }) => items) : data
      return all.map((delivery) => ({ endpointId: String(endpointId), delivery }))
    })

/** Deliveries by the end of their ids, as lists show it: those of the lists that were read, and the latest of each endpoint. */
export const useDeliveriesByEnd = (
  end: string | undefined,
  most: number
): { readonly commands: ReadonlyArray<Command>; readonly isAsking: boolean } => {
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  // Without this right the page would first make itself a webhook grant: none is made for a search.
  const enabled = end !== undefined && session.can("webhooks:read")
  const { data, isLoading } = useInfiniteQuery({ ...endpointsQuery(session), enabled })
  const endpoints = enabled ? (data?.pages.flatMap(({ items }) => items) ?? []) : []
  // Reads the lists; their deliveries are then among those of `listedDeliveries`.
  const latest = useQueries({ queries: endpoints.map(({ id }) => latestDeliveriesQuery(session, id)) })
  if (end === undefined) return { commands: [], isAsking: false }
  const fitting = listedDeliveries(queries).filter(({ delivery: { delivery_id } }) =>
    delivery_id.slice(-8).includes(end)
  )
  const commands = [...new Map(fitting.map((one) => [one.delivery.delivery_id, one])).values()]
    .slice(0, most)
    .map(({ delivery: { delivery_id: delivery, event_type, state }, endpointId }) => ({
      value: delivery,
      label: `Delivery ${delivery.slice(-8)}: ${event_type}, ${state}`,
      run: () =>
        void navigate({ to: "/webhooks/$endpointId", params: { endpointId }, search: { delivery, state: undefined } })
    }))
  return { commands, isAsking: isLoading || latest.some((one) => one.isLoading) }
}
