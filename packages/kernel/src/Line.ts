/** A place in a line, to leave it by. */
export interface PlaceInLine<Item> {
  readonly item: Item
  before: PlaceInLine<Item> | undefined
  after: PlaceInLine<Item> | undefined
  isTaken: boolean
}

/**
 * Items in the order in which they came, each of which may leave at any time. For what comes and goes by the thousand a
 * second: a `Set` grows a new table every few hundred of them, the old table refers to the new one, and so one old table
 * that the collector of young objects has kept makes it keep every item from then on. In the delivery worker half of what
 * that collector moved to the old generation was such garbage.
 */
export interface Line<Item> {
  readonly size: () => number
  /** The place of who came first of those that are there. */
  readonly first: () => PlaceInLine<Item> | undefined
  /** Adds an item at the end. */
  readonly join: (item: Item) => PlaceInLine<Item>
  /** Takes an item out. One that has left already is left alone. */
  readonly leave: (place: PlaceInLine<Item>) => void
  /** The items, first come first. Meanwhile nobody leaves but who is being looked at. */
  readonly items: () => IterableIterator<Item>
}

/** A line with nobody in it. */
export const makeLine = <Item>(): Line<Item> => {
  let first: PlaceInLine<Item> | undefined
  let last: PlaceInLine<Item> | undefined
  let size = 0
  return {
    size: () => size,
    first: () => first,
    join: (item) => {
      const place: PlaceInLine<Item> = { item, before: last, after: undefined, isTaken: true }
      if (last === undefined) first = place
      else last.after = place
      last = place
      size++
      return place
    },
    leave: (place) => {
      if (!place.isTaken) return
      const { after, before } = place
      if (before === undefined) first = after
      else before.after = after
      if (after === undefined) last = before
      else after.before = before
      // A place that is left refers to nobody, or the line would have the fault that it is there to avoid.
      place.before = undefined
      place.after = undefined
      place.isTaken = false
      size--
    },
    *items() {
      for (let place = first; place !== undefined; ) {
        const { after, item } = place
        yield item
        place = after
      }
    }
  }
}
