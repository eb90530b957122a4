/** What requests leave to be written, gathered beside them and never on their way. */
import { type Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Cause, Effect, Latch, type Scope } from "effect"

/** How long things are gathered before they are written, in seconds. */
export const GATHER_SECONDS = 5

/** Most things that one transaction writes. */
export const BATCH_MAX = 1_000

/** How long the last things may take to be written once the layer closes. */
const FAREWELL = "3 seconds"

/** What is gathered, and how it is written. */
export interface Gathering<Item> {
  /** Two things of one id as one. */
  readonly combine: (earlier: Item, later: Item) => Item
  readonly write: (items: ReadonlyArray<Item>) => Effect.Effect<void, never, Transaction>
  /** What is done about those that could not be written, for this cause; they are dropped. */
  readonly drop: (items: ReadonlyArray<Item>, cause: Cause.Cause<never>) => Effect.Effect<void>
  /** Most different things that are gathered at once. */
  readonly max: number
}

const batchesOf = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  Array.from({ length: Math.ceil(items.length / BATCH_MAX) }, (_, index) =>
    items.slice(index * BATCH_MAX, (index + 1) * BATCH_MAX)
  )

/**
 * Takes in a thing at once; false where there is no room for another. All is written every `GATHER_SECONDS` and when the scope
 * closes, a thousand in a transaction.
 */
export const makeGathering = Effect.fnUntraced(function* <Item>({
  combine,
  drop,
  max,
  write
}: Gathering<Item>): Effect.fn.Return<(id: string, item: Item) => boolean, never, UnitOfWork | Scope.Scope> {
  const unit = yield* UnitOfWork
  let gathered = new Map<string, Item>()
  // Where nothing is gathered nothing is to be woken for.
  const anything = yield* Latch.make()

  const add = (id: string, item: Item) => {
    const known = gathered.get(id)
    gathered.set(id, known === undefined ? item : combine(known, item))
  }

  const writeAll = Effect.suspend(() => {
    const items = gathered
    gathered = new Map()
    return Effect.forEach(batchesOf([...items.values()]), (batch) => unit.atomic(write(batch)), {
      discard: true
    }).pipe(
      // What the end of the layer interrupts is written by its finalizer.
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          const meanwhile = gathered
          gathered = items
          for (const [id, item] of meanwhile) add(id, item)
        })
      ),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : drop([...items.values()], cause)
      )
    )
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(writeAll, FAREWELL))
  yield* anything.await.pipe(
    Effect.andThen(Effect.sleep(`${GATHER_SECONDS} seconds`)),
    Effect.andThen(anything.close),
    Effect.andThen(writeAll),
    Effect.forever,
    Effect.forkScoped
  )

  return (id, item) => {
    if (gathered.size >= max && !gathered.has(id)) return false
    add(id, item)
    anything.openUnsafe()
    return true
  }
})
