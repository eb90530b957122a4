import { Clock, Effect, Layer } from "effect"
import { limitedId, RateLimits } from "../ports/RateLimits.ts"
import { isSameLimit, type RateLimit, readingOf, takeRequests } from "../RequestBucket.ts"

interface Bucket {
  readonly rateLimit: RateLimit
  readonly fullAt: bigint
}

/** Counts requests in this process alone, by Effect's clock. */
export const layerRateLimits: Layer.Layer<RateLimits> = Layer.sync(RateLimits, () => {
  const buckets = new Map<string, Bucket>()
  return RateLimits.of({
    take: (limited, requests) =>
      Effect.map(Clock.currentTimeNanos, (now) => {
        const { rateLimit } = limited
        const id = limitedId(limited)
        const known = buckets.get(id)
        const before = known !== undefined && isSameLimit(known.rateLimit, rateLimit) ? known.fullAt : undefined
        const { fullAt, taken } = takeRequests(before, rateLimit, now, requests)
        buckets.set(id, { rateLimit, fullAt })
        return readingOf(rateLimit, taken, fullAt - now)
      })
  })
})
