import type { OrganizationId } from "@agent-platform/kernel"
import type { EndpointId } from "./Endpoint.ts"

/** After so many failures without a success between them an endpoint has one exchange in flight at a time: a probe. */
export const FAILURES_TO_PROBING = 3

/** How much fits into the lanes of one worker. */
export interface LaneLimits {
  /** Exchanges in flight in all, slow ones apart. */
  readonly total: number
  /** And to one endpoint, unless it is slow or failing. */
  readonly perEndpoint: number
  /** To one that is not known yet; each success widens its lane by one. */
  readonly perNewEndpoint: number
  /** To one that is slow. */
  readonly perSlowEndpoint: number
  /** How much waits for room in all. */
  readonly waiting: number
}

/** Whose lane it is. */
export interface LaneKey {
  readonly id: EndpointId
  readonly organizationId: OrganizationId
}

/** What the lanes of one organization share: looked up for a lane when it is made, and not for each delivery. */
interface OrganizationLoad {
  readonly id: OrganizationId
  lanes: number
  inFlight: number
}

interface Lane<Item> {
  readonly id: EndpointId
  readonly organization: OrganizationLoad
  inFlight: number
  /** How many of those are slow. */
  slow: number
  /** How many it may have while nothing speaks against it. */
  width: number
  /** Failures since the last success. */
  failures: number
  waiting: Array<Item | undefined>
  /** How many at the start of `waiting` are gone. */
  taken: number
  /** Where it is among the lanes in which something waits; -1 when nothing does. */
  place: number
}

/**
 * Room for exchanges in flight, so that an endpoint which hangs fills its own lane and nobody else's. An organization has
 * as many in flight at most as there are free places: one alone gets half of all, ten get an eleventh each, and some
 * places are always left for whoever comes next. What finds no room may wait under the same rule; endpoints that are
 * slow or failing have nothing waiting.
 *
 * An exchange that has become slow gives its place back, so that hanging endpoints take nothing from others, those of
 * their own organization included. What bounds them is their own lanes, which begin narrow; and once there are as many
 * slow ones as places, endpoints that are slow or failing get nothing, and new ones a single exchange.
 */
export interface Lanes<Item> {
  /** Free places in all. */
  readonly free: () => number
  /** How many more to this endpoint may be in flight now. */
  readonly room: (key: LaneKey) => number
  /** Endpoints with less room than an idle one, and how much they have. */
  readonly rooms: () => ReadonlyMap<EndpointId, number>
  readonly enter: (key: LaneKey) => void
  /** Leaves the lane; `succeeded` is undefined when nothing was tried. */
  readonly leave: (key: LaneKey, succeeded: boolean | undefined, wasSlow: boolean) => void
  /** One in flight has become slow. */
  readonly slowed: (key: LaneKey) => void
  /** Has an item wait, and answers whether it may. */
  readonly offer: (key: LaneKey, item: Item) => boolean
  /**
   * The next item that waited and may be in flight now, which it is from then on. Endpoints take turns. It looks at so
   * many lanes, beginning where the last one ended.
   */
  readonly take: (looks?: number) => Item | undefined
  /** Takes out what has waited long enough or may not wait any more, first come first. */
  readonly evict: (isOver: (item: Item) => boolean) => ReadonlyArray<Item>
  /** How much waits. */
  readonly waiting: () => number
}

/** How many lanes a `take` looks at: more would cost more than the place is worth. */
const LANES_LOOKED_AT = 16

/** So many places that were taken from are kept in front of a lane that is never empty. */
const TAKEN_MAX = 1_024

/**
 * Lanes that are remembered though nothing is in them, because a map that lanes come to and leave by the hundred a second has
 * the fault that `Line` is there to avoid; and as many again for their failures.
 */
const IDLE_LANES_MAX = 10_000

/** Lanes with nothing in flight. */
export const makeLanes = <Item>(limits: LaneLimits): Lanes<Item> => {
  const lanes = new Map<EndpointId, Lane<Item>>()
  const organizations = new Map<OrganizationId, OrganizationLoad>()
  const ready: Array<Lane<Item>> = []
  let turn = 0
  let inFlight = 0
  let slow = 0
  let waiting = 0

  const firstWidth = Math.min(limits.perNewEndpoint, limits.perEndpoint)

  const loadOf = (id: OrganizationId): OrganizationLoad => organizations.get(id) ?? { id, lanes: 0, inFlight: 0 }

  const emptyLane = ({ id, organizationId }: LaneKey): Lane<Item> => ({
    id,
    organization: loadOf(organizationId),
    inFlight: 0,
    slow: 0,
    width: firstWidth,
    failures: 0,
    waiting: [],
    taken: 0,
    place: -1
  })

  const laneOf = (key: LaneKey): Lane<Item> => {
    const known = lanes.get(key.id)
    if (known !== undefined) return known
    const lane = emptyLane(key)
    lanes.set(lane.id, lane)
    lane.organization.lanes++
    organizations.set(lane.organization.id, lane.organization)
    return lane
  }

  const isProbing = (lane: Lane<Item>) => lane.failures >= FAILURES_TO_PROBING
  const length = (lane: Lane<Item>) => lane.waiting.length - lane.taken

  const widthOf = (lane: Lane<Item>) => {
    const isCrowded = slow >= limits.total
    if (isProbing(lane)) return isCrowded ? 0 : 1
    if (lane.slow > 0) return isCrowded ? 0 : Math.min(limits.perSlowEndpoint, limits.perEndpoint)
    return isCrowded && lane.width <= firstWidth ? 1 : lane.width
  }

  const roomOf = (lane: Lane<Item>) => {
    const free = limits.total - inFlight
    const ofOrganization = Math.ceil((free - lane.organization.inFlight) / 2)
    return Math.max(0, Math.min(widthOf(lane) - lane.inFlight, ofOrganization, free))
  }

  const enter = (lane: Lane<Item>) => {
    inFlight++
    lane.inFlight++
    lane.organization.inFlight++
  }

  const giveBack = (lane: Lane<Item>) => {
    inFlight--
    lane.organization.inFlight--
  }

  const shift = (lane: Lane<Item>): Item | undefined => {
    const item = lane.waiting[lane.taken]
    // A lane that is never empty would keep whatever went through it.
    lane.waiting[lane.taken] = undefined
    lane.taken++
    waiting--
    if (length(lane) === 0) {
      lane.waiting = []
      lane.taken = 0
      const last = ready.pop()
      if (last !== undefined && last !== lane) {
        ready[lane.place] = last
        last.place = lane.place
      }
      lane.place = -1
    } else if (lane.taken >= TAKEN_MAX && lane.taken >= length(lane)) {
      lane.waiting = lane.waiting.slice(lane.taken)
      lane.taken = 0
    }
    return item
  }

  /** Of an idle lane nothing counts any more but its failures. */
  const forget = (lane: Lane<Item>) => {
    if (lane.inFlight > 0 || length(lane) > 0) return
    const isFailing = lane.failures > 0
    if (lanes.size > (isFailing ? 2 * IDLE_LANES_MAX : IDLE_LANES_MAX)) {
      lanes.delete(lane.id)
      lane.organization.lanes--
      if (lane.organization.lanes === 0) organizations.delete(lane.organization.id)
    } else if (!isFailing) lane.width = firstWidth
  }

  return {
    free: () => limits.total - inFlight,
    room: (key) => roomOf(lanes.get(key.id) ?? emptyLane(key)),
    rooms: () => {
      const found = new Map<EndpointId, number>()
      for (const lane of lanes.values()) {
        if (lane.inFlight > 0 || isProbing(lane)) found.set(lane.id, roomOf(lane))
      }
      return found
    },
    enter: (key) => enter(laneOf(key)),
    leave: (key, succeeded, wasSlow) => {
      const lane = laneOf(key)
      lane.inFlight--
      if (wasSlow) {
        lane.slow--
        slow--
        lane.width = firstWidth
      } else {
        giveBack(lane)
        if (succeeded === true) lane.width = Math.min(limits.perEndpoint, lane.width + 1)
      }
      if (succeeded !== undefined) lane.failures = succeeded ? 0 : lane.failures + 1
      forget(lane)
    },
    slowed: (key) => {
      const lane = laneOf(key)
      lane.slow++
      slow++
      giveBack(lane)
    },
    offer: (key, item) => {
      // A lane that nothing waits in is not made for what is refused.
      const known = lanes.get(key.id)
      if (known !== undefined && (isProbing(known) || known.slow > 0)) return false
      if ((known === undefined ? 0 : length(known)) >= limits.waiting - waiting) return false
      const lane = known ?? laneOf(key)
      lane.waiting.push(item)
      waiting++
      if (lane.place < 0) lane.place = ready.push(lane) - 1
      return true
    },
    take: (looks = LANES_LOOKED_AT) => {
      for (let left = Math.min(looks, ready.length); left > 0 && inFlight < limits.total; left--) {
        if (turn >= ready.length) turn = 0
        const lane = ready[turn]
        turn++
        if (lane === undefined || roomOf(lane) === 0) continue
        enter(lane)
        return shift(lane)
      }
      return undefined
    },
    evict: (isOver) => {
      const evicted: Array<Item> = []
      for (const lane of [...ready]) {
        const all = isProbing(lane) || lane.slow > 0
        while (length(lane) > 0) {
          const first = lane.waiting[lane.taken]
          if (first === undefined || !(all || isOver(first))) break
          shift(lane)
          evicted.push(first)
        }
        forget(lane)
      }
      return evicted
    },
    waiting: () => waiting
  }
}
