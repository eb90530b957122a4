/** Notes of when keys and sessions are used. No request waits for them. */
import type { Transaction, UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect, type Scope } from "effect"
import { makeGathering } from "./makeGathering.ts"

/** The kind of thing that is used, and how its use is written. */
export interface UseNoting<Thing, Use> {
  /** The name of the things, in the plural and for people. */
  readonly things: string
  readonly idOf: (thing: Thing) => string
  /** The last use that the thing itself has stored; null for none. */
  readonly lastUsedAt: (thing: Thing) => DateTime.Utc | null
  /** The shortest time between two noted uses, in seconds. */
  readonly apartSeconds: number
  readonly useOf: (thing: Thing, at: DateTime.Utc) => Use
  readonly write: (uses: ReadonlyArray<Use>) => Effect.Effect<void, never, Transaction>
}

/**
 * Notes the use of a thing without waiting for anything, unless a recent use is stored already. A use that cannot be written is
 * dropped, since the next one replaces it.
 */
export const makeUseNotes = Effect.fnUntraced(function* <Thing, Use>(
  noting: UseNoting<Thing, Use>
): Effect.fn.Return<(thing: Thing) => Effect.Effect<void>, never, UnitOfWork | Scope.Scope> {
  const gather = yield* makeGathering<Use>({
    combine: (_, later) => later,
    write: noting.write,
    drop: (_, cause) => Effect.logDebug(`When ${noting.things} were last used could not be noted`, cause)
  })

  /** Whether the stored use is old enough for another one to be noted. */
  const isNews = (thing: Thing, at: DateTime.Utc): boolean => {
    const last = noting.lastUsedAt(thing)
    return last === null || at.epochMilliseconds - last.epochMilliseconds >= noting.apartSeconds * 1_000
  }

  return (thing) =>
    Effect.map(DateTime.now, (at) => {
      if (isNews(thing, at)) gather(noting.idOf(thing), noting.useOf(thing, at))
    })
})
