/** When a failed delivery is tried again. Spec: Delivery and replay 1. */
import { DateTime, Option } from "effect"

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds to wait after the n-th failed attempt (the first failure is 1). */
export const RETRY_DELAYS_SECONDS: ReadonlyArray<number> = [
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR
]

/** The longest delay, which a receiver's Retry-After cannot exceed either. */
const RETRY_DELAY_SECONDS_MAX = 12 * HOUR

/** At most this share of a delay is subtracted, so that deliveries which failed together do not return together. */
const JITTER_SHARE = 0.1

/**
 * Milliseconds to wait after the n-th failed attempt in a row by these delays; undefined when no retry is left. The first delay is
 * kept exactly. Every later one is shortened by a tenth times `jitter`, which is from 0 to 1, and is at least `retryAfterSeconds`, which
 * counts for up to 12 hours.
 */
export const retryDelayMillis = (
  failures: number,
  options: { readonly jitter: number; readonly retryAfterSeconds: number | undefined },
  delaysSeconds: ReadonlyArray<number> = RETRY_DELAYS_SECONDS
): number | undefined => {
  const seconds = delaysSeconds[failures - 1]
  if (seconds === undefined) return undefined
  if (failures === 1) return seconds * 1000
  const jittered = Math.round(seconds * 1000 * (1 - JITTER_SHARE * options.jitter))
  const asked = Math.min(options.retryAfterSeconds ?? 0, RETRY_DELAY_SECONDS_MAX) * 1000
  return Math.max(jittered, asked)
}

/** Seconds in a Retry-After header, which holds seconds or an HTTP date; undefined when it holds neither. */
export const parseRetryAfter = (header: string | undefined, now: DateTime.Utc): number | undefined => {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Option.getOrUndefined(DateTime.make(header))
  return at && Math.max(0, Math.ceil((at.epochMilliseconds - now.epochMilliseconds) / 1000))
}
