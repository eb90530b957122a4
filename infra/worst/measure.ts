/** Measures cases one after the other, and tries again alone what seems to break a bound. */
import {
  ANSWER_MILLIS_MAX,
  GROWTH_MAX,
  growthFaultsOf,
  growthOf,
  JUDGED_MILLIS,
  leastOf,
  type Point,
  pointFaultsOf
} from "./bounds.ts"
import type { Case } from "./cases.ts"
import { AppEnded } from "./meter.ts"
import { inWords, type Neighbour } from "./neighbour.ts"
import { APPS, type Platform } from "./platform.ts"
import { NoAnswer } from "./send.ts"
import { measureSpeed } from "./speed.ts"

/** The measurements of a case. */
export interface Row {
  readonly endpoint: string
  readonly member: string
  /** One for each size that was measured, the smallest first; it ends with the first that broke a bound. */
  readonly points: ReadonlyArray<Point>
  readonly faults: ReadonlyArray<string>
}

/** How often a size is tried alone before it is called a failure. */
const TRIES = 3

/** The platform under measurement, and its neighbour. */
export interface Bench {
  readonly platform: Platform
  readonly neighbour: Neighbour
}

const timed = async <A>(act: Promise<A>, millisMax: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`No answer within ${Math.round(millisMax / 1000)} s`)), millisMax)
  })
  return Promise.race([act, late]).finally(() => clearTimeout(timer))
}

const triedOnce = async ({ platform }: Bench, one: Case, size: number, factor: number): Promise<Point> => {
  const act = await one.prepare(size)
  await Promise.all(APPS.map((app) => platform.meter(app).begin()))
  const millisMax = ANSWER_MILLIS_MAX * factor
  // An action ends by itself at its limit; the seconds above it are for one that does not.
  const outcome = await timed(act(millisMax), millisMax + 5_000).catch((error: Error) => {
    // A broken connection is an answer as well: a head that is too large is refused while it is still sent.
    if (/ECONNRESET|EPIPE|socket hang up/.test(String(error))) return "closed"
    throw error
  })
  const [api, worker] = await timed(Promise.all(APPS.map((app) => platform.meter(app).read())), millisMax)
  return { size, outcome, spent: { api: api!, worker: worker! } }
}

/** The same sizes again, `TRIES` times: the least of each counts. */
const triedAgain = async (bench: Bench, one: Case, points: ReadonlyArray<Point>, factor: number) => {
  const tries = points.map(({ size }): { readonly size: number; readonly points: Array<Point> } => ({
    size,
    points: []
  }))
  // The sizes take turns, since the machine changes its speed.
  for (let index = 0; index < TRIES; index++) {
    for (const { points, size } of tries) points.push(await triedOnce(bench, one, size, factor))
  }
  return tries.map(({ points }) => leastOf(points))
}

/**
 * With so much room for new objects V8's garbage collector hardly copies any. With the usual room it copies a larger input again and
 * again, which costs up to four times as much as the input itself.
 */
const ROOMY = ["--min-semi-space-size=64", "--max-semi-space-size=64"]

/** Whether a cost grows by itself, and not by what the collector does with it. */
const growsByItself = async (bench: Bench, one: Case, points: ReadonlyArray<Point>, factor: number) => {
  await bench.platform.restart(ROOMY)
  try {
    return growthFaultsOf(await triedAgain(bench, one, points, factor))
  } finally {
    await bench.platform.restart()
  }
}

/** Tries the last sizes without the neighbour, and answers the new figures and the faults that are still there. */
const faultsAlone = async (bench: Bench, one: Case, points: ReadonlyArray<Point>, factor: number) => {
  await bench.neighbour.pause()
  try {
    const again = await triedAgain(bench, one, points, factor)
    const faults = pointFaultsOf(again.at(-1)!, factor)
    const grown = growthFaultsOf(again)
    const own = grown.length === 0 ? [] : await growsByItself(bench, one, points, factor)
    return { points: again, faults: [...own, ...faults] }
  } finally {
    bench.neighbour.resume()
  }
}

/** Whether the apps have to be started anew after this error. */
const isLost = (error: Error): boolean => error instanceof NoAnswer || error instanceof AppEnded

/** How many sizes growth is judged by. */
const SIZES_JUDGED = 3

/** How far a case has come. */
interface Seen {
  /** The size that was tried last. */
  size: number
  /** The smallest first. */
  readonly points: Array<Point>
}

/** Whether an input was turned away: a smaller one that is let in may cost more. */
const isRefused = ({ outcome }: Point): boolean => !/^(?:2|succeeded)/.test(outcome)

const isCheap = (point: Point, factor: number): boolean =>
  pointFaultsOf(point, factor).length === 0 && APPS.every((app) => point.spent[app].cpuMillis < JUDGED_MILLIS)

/** Whether the cost grows so little from one size to another that no two steps in a row between them can be over the bound. */
const isSteady = (less: Point, more: Point): boolean =>
  APPS.every((app) => (growthOf(app, less, more) ?? 0) <= GROWTH_MAX ** 2)

/**
 * Measures the sizes that tell something. The largest comes first, and is enough where it is let in and costs little. Else the smallest
 * follows, and those between the two where growth is in doubt, where the largest broke a bound, or where only one of them is refused.
 */
const measureSizes = async (bench: Bench, one: Case, factor: number, seen: Seen) => {
  const { points } = seen
  const add = async (size: number) => {
    seen.size = size
    const point = await triedOnce(bench, one, size, factor)
    points.push(point)
    return point
  }
  const [smallest, ...larger] = one.sizes
  const largest = larger.pop()
  if (smallest === undefined) return
  const last = await add(largest ?? smallest)
  if (largest === undefined || (isCheap(last, factor) && !isRefused(last))) return
  const first = await add(smallest)
  const isEven = isRefused(last) === isRefused(first)
  if (!isEven || !isSteady(first, last) || pointFaultsOf(last, factor).length > 0)
    for (const size of larger) await add(size)
  points.sort((less, more) => less.size - more.size)
}

/** Answers the faults of the first size that broke a bound, and takes those above it out again. */
const measureCase = async (bench: Bench, one: Case, factor: number, seen: Seen) => {
  await measureSizes(bench, one, factor, seen)
  const { points } = seen
  for (let count = 1; count <= points.length; count++) {
    const last = points[count - 1] as Point
    const isGrown = growthFaultsOf(points.slice(0, count)).length > 0
    if (!isGrown && pointFaultsOf(last, factor).length === 0) continue
    // The machine may have become slower since it was measured.
    const now = Math.max(factor, measureSpeed().factor)
    // The sizes before it are tried again, too: the first try of one may have cost more by chance, which hides growth.
    const from = Math.max(0, count - SIZES_JUDGED)
    seen.size = last.size
    const alone = await faultsAlone(bench, one, points.slice(from, count), now)
    // The figures without the neighbour take the place of those beside it.
    points.splice(from, alone.points.length, ...alone.points)
    if (alone.faults.length === 0) continue
    points.splice(count)
    return alone.faults
  }
  return []
}

/** A case in words. */
export const nameOf = ({ endpoint, member }: Pick<Case, "endpoint" | "member">): string => `${endpoint} ${member}`

/** Measures every case. An app that does not answer is ended and started anew, which is a fault of the case. */
export const measureAll = async (
  bench: Bench,
  cases: ReadonlyArray<Case>,
  factor: number,
  onRow: (row: Row) => void
): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const one of cases) {
    const { endpoint, member } = one
    bench.neighbour.note(nameOf(one))
    const seen: Seen = { size: 0, points: [] }
    const faults = await measureCase(bench, one, factor, seen).catch(async (error: Error) => {
      if (!isLost(error)) return [`cannot be measured at ${seen.size} bytes: ${error.message}`]
      // The neighbour's requests in flight end with the apps.
      const paused = bench.neighbour.pause()
      await bench.platform.restart()
      await paused
      bench.neighbour.resume()
      return [`${error.message} at ${seen.size} bytes`]
    })
    const row = { endpoint, member, points: seen.points, faults }
    rows.push(row)
    onRow(row)
  }
  return rows
}

/** How often a case is repeated beside a neighbour that was disturbed by it. */
const REPETITIONS = 2

/**
 * The suspects that disturb the neighbour every time they run. A machine that was busy with something else for a moment does it once.
 */
export const disturbersOf = async (bench: Bench, suspects: ReadonlyArray<Case>, factor: number) => {
  const found: Array<string> = []
  for (const one of suspects) {
    const seen: Array<string> = []
    for (let index = 0; index < REPETITIONS && seen.length === index; index++) {
      bench.neighbour.disturbances()
      await triedOnce(bench, one, one.sizes.at(-1) ?? 0, factor)
      // Requests in flight end, and their outcomes are reported.
      await bench.neighbour.pause()
      bench.neighbour.resume()
      const [disturbance] = bench.neighbour.disturbances()
      if (disturbance !== undefined) seen.push(inWords(disturbance))
    }
    if (seen.length === REPETITIONS) found.push(`The neighbour's ${seen.at(-1)} beside ${nameOf(one)}`)
  }
  return found
}
