/** Durations counted by buckets: distributions can be added, and give percentiles within 5 %. */

/** How many durations fell into each bucket, by its number; empty buckets may be missing. */
export type Distribution = Readonly<Record<number, number>>

/** The longest duration that is counted, 11.5 days in milliseconds: longer ones count as this long. */
const LONGEST_MILLIS = 1_000_000_000

/** Each bucket ends a tenth above its beginning, so that its middle is no more than 5 % off any duration in it. */
const GROWTH = 1.1

const makeBounds = (): ReadonlyArray<number> => {
  const bounds = [0]
  for (let next = 1; next < LONGEST_MILLIS; next = Math.max(next + 1, Math.floor(next * GROWTH))) bounds.push(next)
  return [...bounds, LONGEST_MILLIS]
}

/** The first whole millisecond of each bucket; it ends before the next begins. Up to 10 ms every bucket is one millisecond. */
export const BUCKET_BOUNDS: ReadonlyArray<number> = makeBounds()

/** The bucket of a duration in whole milliseconds. */
export const bucketOf = (millis: number): number => {
  let [low, high] = [0, BUCKET_BOUNDS.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((BUCKET_BOUNDS[middle] ?? 0) <= millis) low = middle
    else high = middle - 1
  }
  return low
}

const middleOf = (bucket: number): number => {
  const start = BUCKET_BOUNDS[bucket] ?? LONGEST_MILLIS
  return Math.round((start + (BUCKET_BOUNDS[bucket + 1] ?? start + 1) - 1) / 2)
}

/** The sum of two distributions. */
export const addDistributions = (one: Distribution, other: Distribution): Distribution => {
  const sum: Record<number, number> = { ...one }
  for (const bucket in other) sum[bucket] = (sum[bucket] ?? 0) + (other[bucket] ?? 0)
  return sum
}

/** The sum of any number of distributions. */
export const sumOfDistributions = ([first = {}, ...others]: ReadonlyArray<Distribution>): Distribution =>
  others.length === 0 ? first : others.reduce(addDistributions, first)

/**
 * The durations, in milliseconds, that these fractions of all do not exceed, by the nearest rank; undefined where there is none.
 * Each is within 5 % of the true one, half a millisecond for rounding aside.
 */
export const percentilesOf = (
  distribution: Distribution,
  fractions: ReadonlyArray<number>
): ReadonlyArray<number> | undefined => {
  let total = 0
  for (const bucket in distribution) total += distribution[bucket] ?? 0
  if (total === 0) return undefined
  return fractions.map((fraction) => {
    let left = Math.max(1, Math.ceil(fraction * total))
    // A loop over an object takes members that are named by whole numbers in numeric order.
    for (const bucket in distribution) {
      left -= distribution[bucket] ?? 0
      if (left <= 0) return middleOf(Number(bucket))
    }
    return LONGEST_MILLIS
  })
}
