import type { EndpointId } from "./Endpoint.ts"

/**
 * Room for deliveries in flight: so many in all, and so many to one endpoint, so that an endpoint which hangs fills
 * its own lane and nobody else's.
 */
export interface Lanes {
  /** How many more may be taken up in all. */
  readonly free: () => number
  /** Endpoints whose lane is full. */
  readonly full: () => ReadonlyArray<EndpointId>
  /** Whether one more fits into the endpoint's lane. */
  readonly admits: (endpointId: EndpointId) => boolean
  readonly enter: (endpointId: EndpointId) => void
  readonly leave: (endpointId: EndpointId) => void
}

/** Lanes with nothing in flight. */
export const makeLanes = (limits: { readonly total: number; readonly perEndpoint: number }): Lanes => {
  const inFlight = new Map<EndpointId, number>()
  let total = 0
  return {
    free: () => limits.total - total,
    full: () => [...inFlight].filter(([, count]) => count >= limits.perEndpoint).map(([endpointId]) => endpointId),
    admits: (endpointId) => (inFlight.get(endpointId) ?? 0) < limits.perEndpoint,
    enter: (endpointId) => {
      total++
      inFlight.set(endpointId, (inFlight.get(endpointId) ?? 0) + 1)
    },
    leave: (endpointId) => {
      total--
      const left = (inFlight.get(endpointId) ?? 0) - 1
      if (left > 0) inFlight.set(endpointId, left)
      else inFlight.delete(endpointId)
    }
  }
}
