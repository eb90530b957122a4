import { type LinkedList, makeLinkedList } from "@agent-platform/toolkit"
import { Clock, Effect, Exit, type Scope } from "effect"

/** Deadlines of many requests at once. */
export interface Deadlines {
  /** Calls `expire` once, in `millis` milliseconds, unless the returned function has called it off. */
  readonly add: (millis: number, expire: () => void) => () => void
}

interface Deadline {
  readonly atMillis: number
  readonly expire: () => void
}

/** Deadlines of one length: they end in the order in which they began, so that one sleeper serves all of them. */
interface SameLength {
  readonly deadlines: LinkedList<Deadline>
  /** Ends the sleeper; undefined while none sleeps. */
  endSleep: (() => void) | undefined
}

/**
 * Deadlines by the clock of Effect. A timeout around every request would be a fiber and a timer each, 15 µs together, and
 * nearly none of them ever fires; here a deadline is a node in a list, added and removed. Closing the scope ends the sleepers.
 */
export const makeDeadlines = Effect.fnUntraced(function* (): Effect.fn.Return<Deadlines, never, Scope.Scope> {
  const run = Effect.runCallbackWith(yield* Effect.context<never>())
  const clock = yield* Clock.Clock
  const byLength = new Map<number, SameLength>()

  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  /** Sleeps until the first of the deadlines, expires those that are over, and sleeps again while there are others. */
  const sleep = (same: SameLength, length: number, millis: number) => {
    same.endSleep = run(Effect.sleep(Math.ceil(millis)), {
      onExit: (exit) => {
        same.endSleep = undefined
        if (Exit.isFailure(exit)) return
        for (let next = same.deadlines.first(); next !== undefined; next = same.deadlines.first()) {
          const left = next.item.atMillis - now()
          if (left > 0) {
            // A callback that has added a deadline of this length has begun the next sleep already.
            if (same.endSleep === undefined) sleep(same, length, left)
            return
          }
          same.deadlines.remove(next)
          next.item.expire()
        }
        byLength.delete(length)
      }
    })
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { endSleep } of byLength.values()) endSleep?.()
    })
  )

  return {
    add: (millis, expire) => {
      let same = byLength.get(millis)
      if (same === undefined) {
        same = { deadlines: makeLinkedList(), endSleep: undefined }
        byLength.set(millis, same)
      }
      const { deadlines } = same
      const node = deadlines.add({ atMillis: now() + millis, expire })
      if (same.endSleep === undefined) sleep(same, millis, millis)
      return () => deadlines.remove(node)
    }
  }
})
