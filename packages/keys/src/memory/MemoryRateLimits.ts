import { Clock, Effect, Layer } from "effect"
import { RateLimits } from "../ports/RateLimits.ts"
import { type RateLimit, readingOf, takeRequest } from "../RateLimit.ts"

interface Bucket {
  readonly rateLimit: RateLimit
  readonly fullAt: bigint
}

const isSame = (one: RateLimit, other: RateLimit) =>
  one.limit === other.limit && one.windowSeconds === other.windowSeconds

/** Counts in this process, by Effect's clock. */
export const layerRateLimits: Layer.Layer<RateLimits> = Layer.sync(RateLimits, () => {
  const buckets = new Map<string, Bucket>()
  return RateLimits.of({
    take: ({ rateLimit, ...limited }) =>
      Effect.map(Clock.currentTimeNanos, (now) => {
        const id = "id" in limited ? limited.id : limited.workspaceId
        const known = buckets.get(id)
        const before = known !== undefined && isSame(known.rateLimit, rateLimit) ? known.fullAt : undefined
        const { fullAt, taken } = takeRequest(before, rateLimit, now)
        buckets.set(id, { rateLimit, fullAt })
        return readingOf(rateLimit, taken, fullAt - now)
      })
  })
})
