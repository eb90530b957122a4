/** Hands the items of a feed to all its followers in this process: the feed is read once for all of them. */
import { type Cause, Effect, Latch, Option, Queue, type Scope, Semaphore, Stream } from "effect"
import { persistently } from "./persistently.ts"

/**
 * A feed in an order that can be followed: no item is ever added before a position that was given out. Each item belongs to a key,
 * such as its tenant.
 */
export interface Feed<Key, Item, Position> {
  /** Where the feed ends now. */
  readonly end: Effect.Effect<Position>
  /** The first `limit` items of these keys between two positions, and where to go on: `upTo` when there are no more. */
  readonly read: (range: {
    readonly keys: ReadonlyArray<Key>
    readonly after: Position
    readonly upTo: Position
    readonly limit: number
  }) => Effect.Effect<{ readonly items: ReadonlyArray<Item>; readonly next: Position }>
}

export interface HubOptions<Key, Item> {
  /** The words for the hub in the log. */
  readonly name: string
  readonly keyOf: (item: Item) => Key
  readonly bytesOf: (item: Item) => number
  /** Items, and their bytes, that wait for one follower at most. One that falls further behind is cut off. */
  readonly itemsMax: number
  readonly bytesMax: number
  /** Items that are read at once. */
  readonly readMax: number
  /** Begins to listen, and returns an effect that waits until there may be more. Not run while nobody follows. */
  readonly listen: Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
}

/** The items that one follower still has to read, and their bytes. */
interface Follower<Item> {
  readonly queue: Queue.Queue<Item, Cause.Done>
  bytes: number
}

/**
 * A hub over a feed, until the scope closes. `follow` gives the items of a key behind a position, and then as they come: nothing is
 * left out and nothing comes twice, however late the stream is run. It has no end of its own; one that is read too slowly ends.
 */
export const makeHub = Effect.fnUntraced(function* <Key, Item, Position>(
  feed: Feed<Key, Item, Position>,
  { bytesMax, bytesOf, itemsMax, keyOf, listen, name, readMax }: HubOptions<Key, Item>
) {
  const lock = yield* Semaphore.make(1)
  const followed = yield* Latch.make(false)
  const followers = new Map<Key, Set<Follower<Item>>>()
  // Everything up to here has been handed out to those who followed at the time; undefined while nobody follows.
  let position: Position | undefined

  const handOut = (item: Item) => {
    const bytes = bytesOf(item)
    for (const follower of followers.get(keyOf(item)) ?? []) {
      const isTooMuch = follower.bytes > 0 && follower.bytes + bytes > bytesMax
      if (isTooMuch || !Queue.offerUnsafe(follower.queue, item)) Queue.endUnsafe(follower.queue)
      else follower.bytes += bytes
    }
  }

  /** Hands out the items since the last time, and returns where the feed ends now. Callers hold the lock. */
  const advance = Effect.gen(function* () {
    const upTo = yield* feed.end
    while (position !== undefined && position !== upTo) {
      const { items, next } = yield* feed.read({ keys: [...followers.keys()], after: position, upTo, limit: readMax })
      items.forEach(handOut)
      position = next
    }
    position = upTo
    return upTo
  })

  const leave = (key: Key, follower: Follower<Item>) =>
    Effect.sync(() => {
      const all = followers.get(key)
      all?.delete(follower)
      if (all?.size === 0) followers.delete(key)
      if (followers.size > 0) return
      position = undefined
      Latch.closeUnsafe(followed)
    })

  const join = Effect.fnUntraced(function* (key: Key) {
    const follower: Follower<Item> = { queue: yield* Queue.dropping<Item, Cause.Done>(itemsMax), bytes: 0 }
    const enter = Effect.map(advance, (joinedAt) => {
      followers.set(key, (followers.get(key) ?? new Set()).add(follower))
      Latch.openUnsafe(followed)
      return joinedAt
    })
    const joinedAt = yield* Effect.acquireRelease(lock.withPermits(1)(enter), () => leave(key, follower))
    return { joinedAt, follower }
  })

  /** The items of a key that were handed out before its follower joined, at `upTo`. */
  const between = (key: Key, after: Position, upTo: Position) =>
    after === upTo
      ? Stream.empty
      : Stream.paginate(after, (from) =>
          Effect.map(
            feed.read({ keys: [key], after: from, upTo, limit: readMax }),
            ({ items, next }) => [items, next === upTo ? Option.none() : Option.some(next)] as const
          )
        )

  /** The items that are handed to a follower. Their bytes stop counting once it takes them. */
  const itemsFor = (follower: Follower<Item>): Stream.Stream<Item> =>
    Stream.mapArray(Stream.fromQueue(follower.queue), (taken) => {
      for (const item of taken) follower.bytes -= bytesOf(item)
      return taken
    })

  const whileFollowed = Effect.scoped(
    Effect.gen(function* () {
      const next = yield* listen
      while (followers.size > 0) {
        yield* lock.withPermits(1)(advance)
        yield* next
      }
    })
  )
  yield* Effect.forkScoped(persistently(name, Effect.andThen(followed.await, whileFollowed)))

  return {
    follow: (key: Key, after: Position): Stream.Stream<Item> =>
      Stream.unwrap(
        Effect.map(join(key), ({ follower, joinedAt }) =>
          Stream.concat(between(key, after, joinedAt), itemsFor(follower))
        )
      )
  }
})
