import { Cache, Duration, Effect, Exit, Schedule } from "effect"

/** How long a provider's discovery document is used without asking again. Its keys are renewed by the library. */
const FRESH = Duration.hours(1)

/** A provider is asked three times at most: again 100 ms after the first failure, and 400 ms after the second. */
const RETRIES = { times: 2, schedule: Schedule.exponential("100 millis", 4) }

/**
 * Remembers the result of `discover` for an hour. Logins that come while it is asked for wait for the same answer. Where asking
 * fails, a login gets the last answer that there was, if any, and the next login asks again.
 */
export const makeDiscovery = <A, E>(discover: Effect.Effect<A, E>): Effect.Effect<Effect.Effect<A, E>> => {
  // Marked as not fresh, so that the cache drops it as soon as it has served a login.
  let earlier: { readonly found: A; readonly isFresh: false } | undefined
  const ask = Effect.retry(discover, RETRIES).pipe(
    Effect.map((found) => {
      earlier = { found, isFresh: false }
      return { found, isFresh: true }
    }),
    Effect.catch((failure) => (earlier === undefined ? Effect.fail(failure) : Effect.succeed(earlier)))
  )
  return Effect.map(
    Cache.makeWith(() => ask, {
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.isFresh ? FRESH : Duration.zero)
    }),
    (cache) => Effect.map(Cache.get(cache, "configuration"), ({ found }) => found)
  )
}
