/** A clock that goes faster than the real one, so that waits of seconds take none, and that can be put forward. */
import { Clock, Duration, Effect } from "effect"

export interface FastClock {
  readonly clock: Clock.Clock
  /** Puts it forward. */
  readonly forward: (millis: number) => void
}

/** The clock, so many times as fast as the real one. */
export const makeFastClock = (factor: number): Effect.Effect<FastClock> =>
  Effect.map(Clock.Clock, (real) => {
    const began = real.currentTimeMillisUnsafe()
    const monotonic = real.monotonicTimeNanosUnsafe()
    let ahead = 0
    const millis = () => Math.floor(began + (real.currentTimeMillisUnsafe() - began) * factor + ahead)
    const nanos = () => BigInt(millis()) * 1_000_000n
    const monotonicNanos = () => monotonic + (real.monotonicTimeNanosUnsafe() - monotonic) * BigInt(factor)
    return {
      clock: {
        currentTimeMillisUnsafe: millis,
        currentTimeMillis: Effect.sync(millis),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: monotonicNanos,
        monotonicTimeNanos: Effect.sync(monotonicNanos),
        sleep: (duration) => real.sleep(Duration.millis(Duration.toMillis(duration) / factor))
      },
      forward: (by) => {
        ahead += by
      }
    }
  })
