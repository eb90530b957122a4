import { Effect } from "effect"
import { type LimitedKey, RateLimits } from "../../ports/RateLimits.ts"

/**
 * Counts a request against the limit of its key, for all processes together; answers whether it is within the limit and
 * what is left of it. To be asked once a request, after the key was recognised.
 */
export const countRequest = Effect.fn("keys.countRequest")(function* (key: LimitedKey) {
  const limits = yield* RateLimits
  return yield* limits.take(key)
})
