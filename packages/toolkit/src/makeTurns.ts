/** Workers that are all woken by the same signals, of whom one finds what there is to do. */
import { Effect } from "effect"

/** The longest delay of a worker whose looks find nothing. */
const DELAY_MILLIS_MAX = 64

/** Looks in vain before a worker is delayed at all: one that is alone has one after a signal that came while it looked. */
const UNDELAYED = 2

/** The turns of one worker. */
export interface Turns {
  /** The look since the last wait found something. */
  readonly found: () => void
  /** Waits for a signal and then for this worker's turn, or for so many seconds at most where no signal comes. */
  readonly next: (seconds: number) => Effect.Effect<void>
}

/**
 * Spreads the looks of workers that know nothing of each other. One whose looks after signals find nothing, since another was first,
 * looks later and later after the next, and no oftener than that; what it finds brings it forward again. So one worker looks at once
 * and the others now and then, until it has enough to do, and a signal costs about one look instead of one of each worker.
 *
 * `next` is what `SignalHub.listen` returns.
 */
export const makeTurns = (next: (seconds: number) => Effect.Effect<boolean>): Turns => {
  /** The looks in vain, of which each that found something makes up for two. */
  let inVain = 0
  let hasFound = false
  let isSignalled = false

  const delayed = Effect.suspend(() => {
    const millis = inVain < UNDELAYED ? 0 : Math.min(DELAY_MILLIS_MAX, 2 ** (inVain - UNDELAYED))
    // The look covers signals that come during the delay.
    return millis === 0 ? Effect.void : Effect.andThen(Effect.sleep(millis), next(0))
  })

  return {
    found: () => {
      hasFound = true
    },
    next: (seconds) =>
      Effect.suspend(() => {
        if (hasFound) inVain = Math.max(0, inVain - 2)
        else if (isSignalled && 2 ** (inVain - UNDELAYED) < DELAY_MILLIS_MAX) inVain++
        hasFound = false
        isSignalled = false
        return Effect.flatMap(next(seconds), (signalled) => {
          isSignalled = signalled
          return signalled ? Effect.asVoid(delayed) : Effect.void
        })
      })
  }
}
