/** The limit on the requests of a key or a workspace, and its arithmetic: a bucket that fills evenly, kept as one moment (GCRA). */

/** A bound: `limit` requests at once, and another one every `windowSeconds / limit`. */
export interface RateLimit {
  /** 1 to `RATE_LIMIT_MAX`. */
  readonly limit: number
  /** 1 to `RATE_LIMIT_WINDOW_SECONDS_MAX`. */
  readonly windowSeconds: number
}

/** Most requests that a rate limit can name. */
export const RATE_LIMIT_MAX = 1_000_000

/** The longest window of a rate limit: a day. */
export const RATE_LIMIT_WINDOW_SECONDS_MAX = 86_400

/** The result of counting a request. */
export interface RateLimitReading {
  /** Whether the request was within the limit; a refused one is not counted. */
  readonly taken: boolean
  /** How many requests would be taken now. */
  readonly remaining: number
  /** Seconds, rounded up, until the whole limit would be taken. */
  readonly resetSeconds: number
  /** Seconds, rounded up, until one request would be taken; 0 while some remain. */
  readonly retryAfterSeconds: number
}

const NANOS_PER_SECOND = 1_000_000_000n

const secondsUp = (nanos: bigint): number =>
  nanos <= 0n ? 0 : Number((nanos + NANOS_PER_SECOND - 1n) / NANOS_PER_SECOND)

/** The nanoseconds in which the bucket fills by one request; at least 1,000. */
export const nanosPerRequest = ({ limit, windowSeconds }: RateLimit): bigint =>
  (BigInt(windowSeconds) * NANOS_PER_SECOND) / BigInt(limit)

/** How many requests a process counts at once: a hundredth of the limit. */
export const blockOf = ({ limit }: RateLimit): number => Math.max(1, Math.floor(limit / 100))

/** Whether two bounds are the same. */
export const isSameLimit = (one: RateLimit, other: RateLimit): boolean =>
  one.limit === other.limit && one.windowSeconds === other.windowSeconds

/**
 * Counts requests at `now`, in nanoseconds, all of them or none. The state of a bucket is the moment at which it is full again,
 * undefined for an unused one. Every request puts that moment off, by the whole bucket at most; beyond that it is refused.
 */
export const takeRequests = (
  fullAt: bigint | undefined,
  rateLimit: RateLimit,
  now: bigint,
  requests: number
): { readonly taken: boolean; readonly fullAt: bigint } => {
  const step = nanosPerRequest(rateLimit)
  const from = fullAt === undefined || fullAt < now ? now : fullAt
  const taken = from - now <= step * BigInt(rateLimit.limit - requests)
  return { taken, fullAt: taken ? from + step * BigInt(requests) : from }
}

/** The reading of a bucket that is full again in `nanos`. */
export const readingOf = (rateLimit: RateLimit, taken: boolean, nanos: bigint): RateLimitReading => {
  const step = nanosPerRequest(rateLimit)
  const missing = nanos <= 0n ? 0n : (nanos + step - 1n) / step
  return {
    taken,
    remaining: Math.max(0, rateLimit.limit - Number(missing)),
    resetSeconds: secondsUp(nanos),
    retryAfterSeconds: secondsUp(nanos - step * BigInt(rateLimit.limit - 1))
  }
}
