/** The bounds: how cost may grow with an input, and how long one input may hold an event loop. */
import type { AppName } from "./platform.ts"

/** A row that costs less than this at its largest is not judged by how it grew: chance is larger. In milliseconds. */
export const JUDGED_MILLIS = 20

/** Most that twice the input may cost, as a multiple, on the average of two steps in a row. */
export const GROWTH_MAX = 2.6

/** Two steps that are little over the bound together count only if each is over this: one large step may be chance. */
const STEP_MIN = 2.2

/** From so much on, two steps count however unlike they are. */
const TWO_STEPS_MAX = 10

/** The longest that one input may hold an event loop on the machine that the bounds were chosen on, in milliseconds. */
export const HOLD_MILLIS_MAX = 250

/** An answer that has not come by then on that machine is a fault by itself, in milliseconds. */
export const ANSWER_MILLIS_MAX = 60_000

/** The work of an app on an input of one size. */
export interface Spent {
  readonly cpuMillis: number
  readonly holdMillis: number
}

/** One input of one size. */
export interface Point {
  readonly size: number
  /** The outcome: a status, or how a run ended. */
  readonly outcome: string
  readonly spent: Readonly<Record<AppName, Spent>>
}

/** An app that did less than this share of what the other did only waited for it: its timers say nothing about the input. */
const SHARE_MIN = 0.5

const timesBetween = (app: AppName, half: Point, whole: Point): number =>
  whole.spent[app].cpuMillis / Math.max(1, half.spent[app].cpuMillis)

/** How much more an app spent on the second of two sizes; undefined where that is too little to be judged. */
export const growthOf = (app: AppName, half: Point, whole: Point): number | undefined => {
  const spent = whole.spent[app].cpuMillis
  const most = Math.max(...Object.values(whole.spent).map(({ cpuMillis }) => cpuMillis))
  return spent < JUDGED_MILLIS || spent < most * SHARE_MIN ? undefined : timesBetween(app, half, whole)
}

/**
 * The faults in how the cost grew up to the last of these sizes, each twice the one before. Two steps are judged together, since what a
 * slow moment adds to the size between them it takes from the other step.
 */
export const growthFaultsOf = (points: ReadonlyArray<Point>): ReadonlyArray<string> => {
  const [quarter, half, whole] = [points.at(-3), points.at(-2), points.at(-1)]
  if (quarter === undefined || half === undefined || whole === undefined) return []
  return (Object.keys(whole.spent) as ReadonlyArray<AppName>).flatMap((app) => {
    const [before, growth] = [timesBetween(app, quarter, half), growthOf(app, half, whole)]
    if (growth === undefined || before * growth <= GROWTH_MAX ** 2) return []
    if (Math.min(before, growth) <= STEP_MIN && before * growth <= TWO_STEPS_MAX) return []
    return [`${app}: twice the input costs ${before.toFixed(1)} and then ${growth.toFixed(1)} times`]
  })
}

/** The faults of one size by itself; `factor` is how slow the machine is. */
export const pointFaultsOf = ({ outcome, spent }: Point, factor: number): ReadonlyArray<string> => [
  ...Object.entries(spent).flatMap(([app, { holdMillis }]) =>
    holdMillis <= HOLD_MILLIS_MAX * factor ? [] : [`${app}: held for ${Math.round(holdMillis)} ms`]
  ),
  // A 503 is allowed, by which the API turns a request away for the moment; any other 5xx is a fault.
  ...(/^5(?!03)/.test(outcome) ? [`answered ${outcome}`] : [])
]

/** The least that was spent in any of several tries of one size. */
export const leastOf = (points: ReadonlyArray<Point>): Point => {
  const [first] = points
  if (first === undefined) throw new Error("There is no point to choose from")
  const least = (app: AppName, name: keyof Spent) => Math.min(...points.map(({ spent }) => spent[app][name]))
  const spentBy = (app: AppName): Spent => ({
    cpuMillis: least(app, "cpuMillis"),
    holdMillis: least(app, "holdMillis")
  })
  return { ...first, spent: { api: spentBy("api"), worker: spentBy("worker") } }
}
