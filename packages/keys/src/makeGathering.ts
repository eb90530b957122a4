/** Notes of requests, gathered in memory and written in batches so that no request waits for them. */
import { type Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Array as Arr, Cause, Effect, Latch, type Scope } from "effect"

/** How long things are gathered before they are written, in seconds. */
export const GATHER_SECONDS = 5

/** Most things that one transaction writes. */
export const BATCH_MAX = 1_000

/** How long writing the last things may take once the layer closes. */
const SHUTDOWN_TIMEOUT = "3 seconds"

/** The kind of thing that is gathered, and how it is written. */
export interface Gathering<Item> {
  /** Makes one thing out of two with the same id. */
  readonly combine: (earlier: Item, later: Item) => Item
  readonly write: (items: ReadonlyArray<Item>) => Effect.Effect<void, never, Transaction>
  /** Called with the things of a transaction that failed, which are dropped, and with the cause. */
  readonly drop: (items: ReadonlyArray<Item>, cause: Cause.Cause<never>) => Effect.Effect<void>
  /** Most different things that are gathered at once, of all owners together and of each; undefined for no bound. */
  readonly bounds?: { readonly ownerOf: (item: Item) => string; readonly max: number; readonly ownerMax: number }
}

/**
 * Returns a function that takes a thing in without waiting, or returns false where the bounds admit no other. The things are
 * written every `GATHER_SECONDS` and when the scope closes, `BATCH_MAX` in a transaction.
 */
export const makeGathering = Effect.fnUntraced(function* <Item>({
  combine,
  drop,
  bounds,
  write
}: Gathering<Item>): Effect.fn.Return<(id: string, item: Item) => boolean, never, UnitOfWork | Scope.Scope> {
  const unit = yield* UnitOfWork
  let gathered = new Map<string, Item>()
  let owned = new Map<string, number>()
  // Open while something waits to be written, so that the writer sleeps while there is nothing.
  const pending = yield* Latch.make()

  const add = (id: string, item: Item) => {
    const known = gathered.get(id)
    gathered.set(id, known === undefined ? item : combine(known, item))
    if (known !== undefined || bounds === undefined) return
    const owner = bounds.ownerOf(item)
    owned.set(owner, (owned.get(owner) ?? 0) + 1)
  }

  const isWithinBounds = (item: Item): boolean =>
    bounds === undefined || (gathered.size < bounds.max && (owned.get(bounds.ownerOf(item)) ?? 0) < bounds.ownerMax)

  const takeAll = (): ReadonlyArray<readonly [string, Item]> => {
    const all = [...gathered]
    gathered = new Map()
    owned = new Map()
    return all
  }

  const writeAll = Effect.suspend(() => {
    const batches = Arr.chunksOf(takeAll(), BATCH_MAX)
    /** How many of the batches are written or dropped. */
    let done = 0
    const writeBatch = (batch: (typeof batches)[number]) => {
      const items = batch.map(([, item]) => item)
      return unit.atomic(write(items)).pipe(
        Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : drop(items, cause))),
        Effect.andThen(Effect.sync(() => void done++))
      )
    }
    return Effect.forEach(batches, writeBatch, { discard: true }).pipe(
      // When the scope closes and interrupts this, the rest is put back for the finalizer to write.
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          for (const [id, item] of [...batches.slice(done).flat(), ...takeAll()]) add(id, item)
        })
      )
    )
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(writeAll, SHUTDOWN_TIMEOUT))
  yield* pending.await.pipe(
    Effect.andThen(Effect.sleep(`${GATHER_SECONDS} seconds`)),
    Effect.andThen(pending.close),
    Effect.andThen(writeAll),
    Effect.forever,
    Effect.forkScoped
  )

  return (id, item) => {
    if (!gathered.has(id) && !isWithinBounds(item)) return false
    add(id, item)
    pending.openUnsafe()
    return true
  }
})
