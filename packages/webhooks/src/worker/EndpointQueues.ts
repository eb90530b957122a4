import type { EndpointKey, EndpointLimiter, EndpointLoad } from "./EndpointLimiter.ts"

/**
 * A queue for each endpoint, of the items above its limit. An endpoint's queue grows only while it is shorter than the room that is
 * left for all queues together, so one endpoint alone gets half of that. Nothing waits for an endpoint that is slow or failing.
 */
export interface EndpointQueues<Item> {
  /** Adds an item, or returns false where it may not wait. */
  readonly offer: (key: EndpointKey, item: Item) => boolean
  /**
   * Takes the next item that may be in flight and counts it as such. Endpoints take turns: it looks at up to `looks` queues,
   * beginning where the last call ended.
   */
  readonly take: (looks?: number) => Item | undefined
  /** Takes out what has waited long enough by `isOver`, and all that waits for an endpoint that is slow or failing by now. */
  readonly evict: (isOver: (item: Item) => boolean) => ReadonlyArray<Item>
  /** How much waits. */
  readonly waiting: () => number
}

/** How many queues a `take` looks at: to look at more would cost more than it is worth to fill a free place. */
const QUEUES_LOOKED_AT = 16

/** Empty queues, in which `waitingMax` items may wait in all. */
export const makeEndpointQueues = <Item>(
  { free, loads }: Pick<EndpointLimiter<Item>, "free" | "loads">,
  waitingMax: number
): EndpointQueues<Item> => {
  /** The endpoints that something waits for, each at its `readyIndex`. One that leaves is replaced by the last. */
  const ready: Array<EndpointLoad<Item>> = []
  let turn = 0
  let waiting = 0

  const shift = (load: EndpointLoad<Item>): Item | undefined => {
    const node = load.queue.first()
    if (node === undefined) return undefined
    load.queue.remove(node)
    waiting--
    if (load.queue.size() > 0) return node.item
    const last = ready.pop()
    if (last !== undefined && last !== load) {
      ready[load.readyIndex] = last
      last.readyIndex = load.readyIndex
    }
    load.readyIndex = -1
    return node.item
  }

  return {
    offer: (key, item) => {
      // Nothing is made for an endpoint whose item is refused.
      const known = loads.known(key)
      if (known !== undefined && loads.isUnwell(known)) return false
      if ((known?.queue.size() ?? 0) >= waitingMax - waiting) return false
      const load = known ?? loads.of(key)
      load.queue.add(item)
      waiting++
      if (load.readyIndex < 0) load.readyIndex = ready.push(load) - 1
      return true
    },
    take: (looks = QUEUES_LOOKED_AT) => {
      for (let left = Math.min(looks, ready.length); left > 0 && free() > 0; left--) {
        if (turn >= ready.length) turn = 0
        const load = ready[turn]
        turn++
        if (load === undefined || loads.available(load) === 0) continue
        loads.enter(load)
        return shift(load)
      }
      return undefined
    },
    evict: (isOver) => {
      const evicted: Array<Item> = []
      for (const load of [...ready]) {
        const takesAll = loads.isUnwell(load)
        for (const item of load.queue.items()) {
          if (!takesAll && !isOver(item)) break
          shift(load)
          evicted.push(item)
        }
        loads.tidy(load)
      }
      return evicted
    },
    waiting: () => waiting
  }
}
