/** Looks for work by workers that are all woken by the same signals, of whom one finds it. */
import { Effect } from "effect"

/** The longest delay of a worker that looks in vain. */
const DELAY_MILLIS_MAX = 64

/** A worker that is alone looks in vain after a signal that came while it looked, so it is not delayed for two such looks. */
const UNDELAYED = 2

/** Looks in vain after which the delay grows no more. */
const IN_VAIN_MAX = UNDELAYED + Math.log2(DELAY_MILLIS_MAX)

/** The turns of one worker. */
export interface Turns {
  /** Says that the look since the last wait was not in vain. */
  readonly found: () => void
  /** Waits for a signal and then for this worker's turn, or for so many seconds at most where no signal comes. */
  readonly next: (seconds: number) => Effect.Effect<void>
}

/**
 * Spreads the looks of workers that know nothing of each other, so that a signal costs about one look instead of one of each worker.
 * Whose looks after signals are in vain, because another was first, looks later and later after the next signal. Whose look finds
 * something comes forward again. So one worker looks at once, and the others are there when it has too much to do or dies.
 *
 * `next` is what `SignalHub.listen` returns.
 */
export const makeTurns = (next: (seconds: number) => Effect.Effect<boolean>): Turns => {
  /** Looks in vain; one that finds something makes up for two. */
  let inVain = 0
  let hasFound = true
  let isSignalled = false

  const delayed = Effect.suspend(() => {
    if (inVain < UNDELAYED) return Effect.void
    // The look that follows covers the signals of this time.
    return Effect.andThen(Effect.sleep(2 ** (inVain - UNDELAYED)), next(0))
  })

  return {
    found: () => {
      hasFound = true
    },
    next: (seconds) =>
      Effect.suspend(() => {
        if (hasFound) inVain = Math.max(0, inVain - 2)
        else if (isSignalled) inVain = Math.min(IN_VAIN_MAX, inVain + 1)
        hasFound = false
        isSignalled = false
        return Effect.flatMap(next(seconds), (signalled) => {
          isSignalled = signalled
          return signalled ? Effect.asVoid(delayed) : Effect.void
        })
      })
  }
}
