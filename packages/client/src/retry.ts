/** Whether a request is worth repeating, and when. Pure decisions: nothing here waits or sends. */

/** Facts that decide whether a request may be repeated. */
export interface Repeatable {
  readonly method: string
  /** Whether it carries an Idempotency-Key: then a repetition creates nothing twice. */
  readonly keyed: boolean
}

/** How often and how long a client tries. */
export interface RetryPolicy {
  /** How often a request is repeated at most. 4 unless given; 0 for never. */
  readonly retriesMax: number
  /** The longest `Retry-After` that is waited for. 60 unless given. */
  readonly waitSecondsMax: number
}

export const RETRY_DEFAULTS: RetryPolicy = { retriesMax: 4, waitSecondsMax: 60 }

/** The first wait without advice, and the longest, in milliseconds. */
const FIRST_MILLIS = 250
const LAST_MILLIS = 20_000

/** The most that is added to `Retry-After`, so that callers refused together do not come back together. */
const JITTER = 0.25

const IDEMPOTENT: ReadonlyArray<string> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]

/** Too many requests: refused before anything was done. */
const REFUSED = 429

/** Statuses after which the request may succeed later, though it may have been done already. */
const LATER: ReadonlyArray<number> = [408, 425, 502, 503, 504]

/** Whether doing it twice does no more than doing it once. */
export const isSafe = ({ keyed, method }: Repeatable): boolean => keyed || IDEMPOTENT.includes(method)

/** Seconds that a `Retry-After` asks for; undefined for none, and for what is not understood. RFC 9110, 10.2.3. */
export const retryAfterSeconds = (header: string | null | undefined, nowMillis: number): number | undefined => {
  if (header === null || header === undefined || header === "") return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMillis) / 1000)
}

/** Milliseconds to wait before the `attempt`-th repetition (the first is 1), by advice or else by doubling. */
const waitMillis = (attempt: number, advisedSeconds: number | undefined, random: number): number =>
  advisedSeconds === undefined
    ? Math.min(LAST_MILLIS, FIRST_MILLIS * 2 ** (attempt - 1)) * (0.5 + random / 2)
    : advisedSeconds * 1000 * (1 + JITTER * random)

/** The outcome of an attempt: an answer, or none. `code` is the problem's. */
export type Attempt =
  | { readonly status: number; readonly code: string | undefined; readonly retryAfter: number | undefined }
  | "unanswered"

/**
 * Milliseconds after which the request is to be repeated; undefined for never. What may have been done is repeated only where
 * that is safe. `random` is between 0 and 1.
 */
export const repeatAfter = (
  request: Repeatable,
  outcome: Attempt,
  attempt: number,
  policy: RetryPolicy,
  random: number
): number | undefined => {
  if (attempt > policy.retriesMax) return undefined
  if (outcome === "unanswered") return isSafe(request) ? waitMillis(attempt, undefined, random) : undefined
  const refused = outcome.status === REFUSED || outcome.code === "idempotency_in_progress"
  if (!refused && !(LATER.includes(outcome.status) && isSafe(request))) return undefined
  if (outcome.retryAfter !== undefined && outcome.retryAfter > policy.waitSecondsMax) return undefined
  return waitMillis(attempt, outcome.retryAfter, random)
}
