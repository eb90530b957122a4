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
interface Row {
  readonly deadlines: LinkedList<Deadline>
  wake: (() => void) | undefined
}

/**
 * Deadlines by the clock of Effect. A timeout around every request would be a fiber and a timer each, 15 µs together, and
 * nearly none of them ever fires; here a deadline is a node in a list, added and removed. Closing the scope ends the sleepers.
 */
export const makeDeadlines = Effect.fnUntraced(function* (): Effect.fn.Return<Deadlines, never, Scope.Scope> {
  const run = Effect.runCallbackWith(yield* Effect.context<never>())
  const clock = yield* Clock.Clock
  const rows = new Map<number, Row>()

  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const sleep = (row: Row, length: number, millis: number) => {
    row.wake = run(Effect.sleep(Math.ceil(millis)), {
      onExit: (exit) => {
        row.wake = undefined
        if (Exit.isFailure(exit)) return
        for (let next = row.deadlines.first(); next !== undefined; next = row.deadlines.first()) {
          const left = next.item.atMillis - now()
          if (left > 0) {
            if (row.wake === undefined) sleep(row, length, left)
            return
          }
          row.deadlines.remove(next)
          next.item.expire()
        }
        // A callback may have begun another deadline.
        if (row.deadlines.size() === 0) rows.delete(length)
        else if (row.wake === undefined) sleep(row, length, length)
      }
    })
  }

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const row of rows.values()) row.wake?.()
    })
  )

  return {
    add: (millis, expire) => {
      let row = rows.get(millis)
      if (row === undefined) {
        row = { deadlines: makeLinkedList(), wake: undefined }
        rows.set(millis, row)
      }
      const { deadlines } = row
      const node = deadlines.add({ atMillis: now() + millis, expire })
      if (row.wake === undefined) sleep(row, millis, millis)
      return () => deadlines.remove(node)
    }
  }
})
