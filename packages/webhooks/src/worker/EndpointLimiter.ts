import type { OrganizationId } from "@agent-platform/kernel"
import { type LinkedList, makeLinkedList } from "@agent-platform/toolkit"
import type { EndpointId } from "../Endpoint.ts"

/** After so many failures without a success between them an endpoint gets one attempt at a time: a probe. */
export const FAILURES_TO_PROBING = 3

/** How many attempts may be in flight from one worker. */
export interface InFlightLimits {
  /** The most in all, without slow ones. */
  readonly total: number
  /** The most to one endpoint, unless it is slow or failing. */
  readonly perEndpoint: number
  /** The most to an endpoint that is not known yet; each success adds one. */
  readonly perNewEndpoint: number
  /** The most to an endpoint that is slow. */
  readonly perSlowEndpoint: number
}

/** An endpoint, and the organization whose limit it shares. */
export interface EndpointKey {
  readonly id: EndpointId
  readonly organizationId: OrganizationId
}

/** The load of all endpoints of one organization. It is looked up when an endpoint's load is made, and not for each delivery. */
interface OrganizationLoad {
  readonly id: OrganizationId
  endpoints: number
  inFlight: number
}

/** How much is in flight to an endpoint, and its queue. */
export interface EndpointLoad<Item> {
  readonly id: EndpointId
  readonly organization: OrganizationLoad
  inFlight: number
  /** How many of those are slow. */
  slow: number
  /** How many may be in flight to it while it is neither slow nor failing. */
  limit: number
  /** Failures since the last success. */
  failures: number
  readonly queue: LinkedList<Item>
  /** Its index in the list of endpoints that something waits for; -1 when nothing does. */
  readyIndex: number
}

/**
 * A limiter of attempts in flight, so that a hanging endpoint uses up its own limit and nobody else's. An organization has
 * as many in flight at most as there are free places: one alone gets half of all, ten get an eleventh each, and some places are
 * always left for others. An endpoint's limit begins low, rises by one with every success, and starts over after something slow.
 *
 * An attempt that has become slow gives its place back, so that hanging endpoints take nothing from others, those of their own
 * organization included. They are bounded by their own limit. Once there are as many slow ones as places, endpoints that
 * are slow or failing get nothing, and new ones a single attempt.
 */
export interface EndpointLimiter<Item> {
  /** Free places in all. */
  readonly free: () => number
  /** How many more to this endpoint may be in flight now. */
  readonly available: (key: EndpointKey) => number
  /** How many more may be in flight now to each endpoint that is not idle: something is in flight to it, or it is failing. */
  readonly endpointLimits: () => ReadonlyMap<EndpointId, number>
  /** Counts an attempt that begins. */
  readonly enter: (key: EndpointKey) => void
  /** Counts an attempt no more, since it has ended; `succeeded` is undefined when nothing was tried. */
  readonly leave: (key: EndpointKey, succeeded: boolean | undefined, wasSlow: boolean) => void
  /** Takes in that an attempt in flight has become slow. */
  readonly slowed: (key: EndpointKey) => void
  /** The same by loads, for the queues over this limiter, which look each load up once. */
  readonly loads: {
    readonly known: (key: EndpointKey) => EndpointLoad<Item> | undefined
    readonly of: (key: EndpointKey) => EndpointLoad<Item>
    readonly available: (load: EndpointLoad<Item>) => number
    readonly enter: (load: EndpointLoad<Item>) => void
    /** Whether it is slow or failing: nothing waits for such an endpoint. */
    readonly isUnwell: (load: EndpointLoad<Item>) => boolean
    /** Lets an idle endpoint start over with the first limit, or forgets it where too many are remembered. */
    readonly tidy: (load: EndpointLoad<Item>) => void
  }
}

/**
 * With more endpoints than this, idle ones are forgotten; failing ones from twice as many on. They are not forgotten at once,
 * since adding and deleting hundreds a second would make the map slow, as `LinkedList` explains.
 */
const IDLE_ENDPOINTS_MAX = 10_000

/** A limiter with nothing in flight. */
export const makeEndpointLimiter = <Item>(limits: InFlightLimits): EndpointLimiter<Item> => {
  const loads = new Map<EndpointId, EndpointLoad<Item>>()
  const organizations = new Map<OrganizationId, OrganizationLoad>()
  let inFlight = 0
  let slow = 0

  const firstLimit = Math.min(limits.perNewEndpoint, limits.perEndpoint)

  const emptyLoad = ({ id, organizationId }: EndpointKey): EndpointLoad<Item> => ({
    id,
    organization: organizations.get(organizationId) ?? { id: organizationId, endpoints: 0, inFlight: 0 },
    inFlight: 0,
    slow: 0,
    limit: firstLimit,
    failures: 0,
    queue: makeLinkedList(),
    readyIndex: -1
  })

  const loadOf = (key: EndpointKey): EndpointLoad<Item> => {
    const known = loads.get(key.id)
    if (known !== undefined) return known
    const load = emptyLoad(key)
    loads.set(load.id, load)
    load.organization.endpoints++
    organizations.set(load.organization.id, load.organization)
    return load
  }

  const isProbing = (load: EndpointLoad<Item>) => load.failures >= FAILURES_TO_PROBING

  const limitOf = (load: EndpointLoad<Item>) => {
    const isCrowded = slow >= limits.total
    if (isProbing(load)) return isCrowded ? 0 : 1
    if (load.slow > 0) return isCrowded ? 0 : Math.min(limits.perSlowEndpoint, limits.perEndpoint)
    return isCrowded && load.limit <= firstLimit ? 1 : load.limit
  }

  const availableOf = (load: EndpointLoad<Item>) => {
    const free = limits.total - inFlight
    // So many more that the organization then has no more in flight than places are free.
    const ofOrganization = Math.ceil((free - load.organization.inFlight) / 2)
    return Math.max(0, Math.min(limitOf(load) - load.inFlight, ofOrganization, free))
  }

  const enter = (load: EndpointLoad<Item>) => {
    inFlight++
    load.inFlight++
    load.organization.inFlight++
  }

  /** An attempt gives its place back when it ends, or before that when it becomes slow. */
  const giveBack = (load: EndpointLoad<Item>) => {
    inFlight--
    load.organization.inFlight--
  }

  const tidy = (load: EndpointLoad<Item>) => {
    if (load.inFlight > 0 || load.queue.size() > 0) return
    const isFailing = load.failures > 0
    if (loads.size > (isFailing ? 2 * IDLE_ENDPOINTS_MAX : IDLE_ENDPOINTS_MAX)) {
      loads.delete(load.id)
      load.organization.endpoints--
      if (load.organization.endpoints === 0) organizations.delete(load.organization.id)
    } else if (!isFailing) load.limit = firstLimit
  }

  return {
    free: () => limits.total - inFlight,
    available: (key) => availableOf(loads.get(key.id) ?? emptyLoad(key)),
    endpointLimits: () => {
      const found = new Map<EndpointId, number>()
      for (const load of loads.values()) {
        if (load.inFlight > 0 || isProbing(load)) found.set(load.id, availableOf(load))
      }
      return found
    },
    enter: (key) => enter(loadOf(key)),
    leave: (key, succeeded, wasSlow) => {
      const load = loadOf(key)
      load.inFlight--
      if (wasSlow) {
        load.slow--
        slow--
        load.limit = firstLimit
      } else {
        giveBack(load)
        if (succeeded === true) load.limit = Math.min(limits.perEndpoint, load.limit + 1)
      }
      if (succeeded !== undefined) load.failures = succeeded ? 0 : load.failures + 1
      tidy(load)
    },
    slowed: (key) => {
      const load = loadOf(key)
      load.slow++
      slow++
      giveBack(load)
    },
    loads: {
      known: (key) => loads.get(key.id),
      of: loadOf,
      available: availableOf,
      enter,
      isUnwell: (load) => isProbing(load) || load.slow > 0,
      tidy
    }
  }
}
