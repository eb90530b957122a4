import { Context, Duration, Effect, type Scope } from "effect"

/** The least rest for each other process, in milliseconds: of a quick batch, most of the cost is not in its time. */
const REST_MILLIS_MIN = 5

/** Most that a rest lasts, in milliseconds: so much later a caller may be answered. */
const REST_MILLIS_MAX = 40

/**
 * The processes that do the same work over one store. Without an adapter a process takes itself to be alone, as one over memory is.
 */
export class Peers extends Context.Reference<{
  /**
   * Joins those that do this work, until the scope closes. The function that it returns counts them, this process included. It learns of
   * others within seconds, and later that they are gone: a wrong count only makes batches larger or smaller.
   */
  readonly join: (work: string) => Effect.Effect<() => number, never, Scope.Scope>
}>("@agent-platform/kernel/Peers", { defaultValue: () => ({ join: () => Effect.succeed(() => 1) }) }) {}

/**
 * Joins the processes that do this work, and returns the rest after a batch that took so long. What a batch costs the store does not
 * depend on its rows alone, and each process makes batches of its own: so each of n rests for the n − 1 others, and its next batch holds
 * what comes meanwhile. A process that is alone never rests, and nothing that comes after the rest is delayed.
 */
export const restAmongPeers = (work: string) =>
  Effect.gen(function* () {
    const count = yield* (yield* Peers).join(work)
    return (took: Duration.Duration): Effect.Effect<void> => {
      const others = count() - 1
      if (others === 0) return Effect.void
      return Effect.sleep(Math.min(REST_MILLIS_MAX, others * (Duration.toMillis(took) + REST_MILLIS_MIN)))
    }
  })
