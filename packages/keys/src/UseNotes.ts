/** When keys and sessions are used, noted beside the requests and never on their way. */
import { type Transaction, UnitOfWork } from "@agent-platform/kernel"
import { Cause, DateTime, Effect, Latch, type Scope } from "effect"

/** How long uses are gathered before they are written, in seconds. */
export const GATHER_SECONDS = 5

/** Most uses that one transaction writes. */
const BATCH_MAX = 1_000

/** How long the last uses may take to be written once the layer closes. */
const FAREWELL = "3 seconds"

/** What is used, and how its use is written. */
export interface UseNoting<Thing, Use> {
  /** What they are, in the plural and for people. */
  readonly things: string
  readonly idOf: (thing: Thing) => string
  /** The use that the thing itself tells of; null for none. */
  readonly lastUsedAt: (thing: Thing) => DateTime.Utc | null
  /** How far apart noted uses are, in seconds. */
  readonly apartSeconds: number
  readonly useOf: (thing: Thing, at: DateTime.Utc) => Use
  readonly write: (uses: ReadonlyArray<Use>) => Effect.Effect<void, never, Transaction>
}

const batchesOf = <Use>(uses: ReadonlyArray<Use>): ReadonlyArray<ReadonlyArray<Use>> =>
  Array.from({ length: Math.ceil(uses.length / BATCH_MAX) }, (_, index) =>
    uses.slice(index * BATCH_MAX, (index + 1) * BATCH_MAX)
  )

/**
 * Notes the use of a thing: at once, without waiting for anything, unless its own row tells of one that is recent enough.
 * Written every `GATHER_SECONDS` and when the scope closes, a thousand in a transaction; what cannot be written is dropped,
 * for the next use says it better.
 */
export const makeUseNotes = Effect.fnUntraced(function* <Thing, Use>(
  noting: UseNoting<Thing, Use>
): Effect.fn.Return<(thing: Thing) => Effect.Effect<void>, never, UnitOfWork | Scope.Scope> {
  const unit = yield* UnitOfWork
  let gathered = new Map<string, Use>()
  // Where nothing is used nothing is to be woken for.
  const anything = yield* Latch.make()

  const write = Effect.suspend(() => {
    const uses = gathered
    gathered = new Map()
    return Effect.forEach(batchesOf([...uses.values()]), (batch) => unit.atomic(noting.write(batch)), {
      discard: true
    }).pipe(
      // What the end of the layer interrupts is written by its finalizer.
      Effect.onInterrupt(() => Effect.sync(() => (gathered = new Map([...uses, ...gathered])))),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logDebug(`When ${noting.things} were last used could not be noted`, cause)
      )
    )
  })

  const isNews = (thing: Thing, at: DateTime.Utc): boolean => {
    const last = noting.lastUsedAt(thing)
    return last === null || at.epochMilliseconds - last.epochMilliseconds >= noting.apartSeconds * 1_000
  }

  yield* Effect.addFinalizer(() => Effect.timeoutOption(write, FAREWELL))
  yield* anything.await.pipe(
    Effect.andThen(Effect.sleep(`${GATHER_SECONDS} seconds`)),
    Effect.andThen(anything.close),
    Effect.andThen(write),
    Effect.forever,
    Effect.forkScoped
  )

  return (thing) =>
    Effect.map(DateTime.now, (at) => {
      if (!isNews(thing, at)) return
      gathered.set(noting.idOf(thing), noting.useOf(thing, at))
      anything.openUnsafe()
    })
})
