import type { EndpointKey, EndpointLimiter, EndpointLoad } from "./EndpointLimiter.ts"

/**
 * A queue for each endpoint of the items above its limit. Organizations and endpoints share the places in queues as they share
 * those in flight. Nothing waits for an endpoint that is slow or failing.
 */
export interface EndpointQueues<Item> {
  /** Adds an item, or answers false. */
  readonly offer: (key: EndpointKey, item: Item) => boolean
  /**
   * Takes the next item that may be in flight and counts it as such. Endpoints take turns. It looks at so many queues, beginning
   * where the last call ended.
   */
  readonly take: (looks?: number) => Item | undefined
  /** Takes out what has waited long enough or may not wait any more, first come first. */
  readonly evict: (isOver: (item: Item) => boolean) => ReadonlyArray<Item>
  /** How much waits. */
  readonly waiting: () => number
}

/** How many queues a `take` looks at: more would cost more than the place is worth. */
const QUEUES_LOOKED_AT = 16

/** Empty queues, in which so much may wait in all. */
export const makeEndpointQueues = <Item>(
  { free, loads }: Pick<EndpointLimiter<Item>, "free" | "loads">,
  waitingMax: number
): EndpointQueues<Item> => {
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
      ready[load.place] = last
      last.place = load.place
    }
    load.place = -1
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
      if (load.place < 0) load.place = ready.push(load) - 1
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
        const all = loads.isUnwell(load)
        for (const item of load.queue.items()) {
          if (!all && !isOver(item)) break
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
