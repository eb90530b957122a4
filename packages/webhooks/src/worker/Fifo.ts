/** A queue, first in first out. */
export interface Fifo<Item> {
  readonly size: () => number
  readonly push: (item: Item) => void
  /** The first, which stays. */
  readonly peek: () => Item | undefined
  /** Takes the first out. */
  readonly shift: () => Item | undefined
}

/** So many places that were taken from are kept in front of a queue that is never empty. */
const TAKEN_MAX = 1_024

/** An empty queue. Taking from the front of an array would move all of its items each time. */
export const makeFifo = <Item>(): Fifo<Item> => {
  let items: Array<Item | undefined> = []
  let taken = 0
  const size = () => items.length - taken
  return {
    size,
    push: (item) => void items.push(item),
    peek: () => items[taken],
    shift: () => {
      if (size() === 0) return undefined
      const item = items[taken]
      // A queue that is never empty would keep whatever went through it.
      items[taken] = undefined
      taken++
      if (size() === 0) {
        items = []
        taken = 0
      } else if (taken >= TAKEN_MAX && taken >= size()) {
        items = items.slice(taken)
        taken = 0
      }
      return item
    }
  }
}
