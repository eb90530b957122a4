/** The numbers of a chart: a bar for each day, made of the parts of each series. */

/** One colour of a chart. */
export interface Series {
  readonly id: string
  readonly label: string
  readonly fill: string
}

/** One bar. */
export interface Day {
  /** As in 2026-11-21. */
  readonly date: string
  /** By the ids of the series; what is missing is 0. */
  readonly values: Readonly<Record<string, number>>
}

/** More colours than these are not told apart. */
export const FILLS = [
  "fill-series-1",
  "fill-series-2",
  "fill-series-3",
  "fill-series-4",
  "fill-series-5",
  "fill-series-6"
] as const

export const OTHER_FILL = "fill-series-other"

const dayFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" })

/** A day as people read it. It has no zone: it is the same everywhere. */
export const dayName = (date: string): string => dayFormat.format(new Date(`${date}T00:00:00Z`))

/** The sum of a bar. */
export const totalOf = (day: Day, series: ReadonlyArray<Series>): number =>
  series.reduce((sum, { id }) => sum + (day.values[id] ?? 0), 0)
