/** The measurements, in words. */
import { growthOf, JUDGED_MILLIS, type Point } from "./bounds.ts"
import type { Row } from "./measure.ts"
import { APPS, type AppName } from "./platform.ts"

const sizeOf = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 2 ** 20 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(0)} MiB`
}

/** The most telling pair of sizes of a row, and its app: the one with the most growth, else the largest. */
export const worstPair = ({ points }: Row) => {
  const pairs = points.slice(1).flatMap((whole, index) =>
    APPS.map((app: AppName) => {
      const half = points[index] as Point
      return { app, half, whole, growth: growthOf(app, half, whole) }
    })
  )
  const judged = pairs.filter(({ growth }) => growth !== undefined)
  const most = judged.toSorted((one, other) => (other.growth ?? 0) - (one.growth ?? 0))[0]
  return most ?? pairs.toSorted((one, other) => costOf(other) - costOf(one))[0]
}

const costOf = ({ app, whole }: { readonly app: AppName; readonly whole: Point }) => whole.spent[app].cpuMillis

const holdOf = ({ points }: Row): number =>
  Math.max(0, ...points.flatMap(({ spent }) => APPS.map((app) => spent[app].holdMillis)))

const cells = (row: Row): ReadonlyArray<string> => {
  const pair = worstPair(row)
  const last = row.points.at(-1)
  return [
    row.endpoint,
    row.member,
    pair?.app ?? "",
    sizeOf(pair?.whole.size ?? last?.size ?? 0),
    pair === undefined ? "" : pair.half.spent[pair.app].cpuMillis.toFixed(0),
    pair === undefined ? "" : pair.whole.spent[pair.app].cpuMillis.toFixed(0),
    pair?.growth === undefined ? "" : pair.growth.toFixed(1),
    holdOf(row).toFixed(0),
    last?.outcome ?? "",
    row.faults.join("; ")
  ]
}

const HEAD = ["endpoint", "member", "app", "2n", "CPU at n", "at 2n, ms", "ratio", "held, ms", "outcome", "fault"]

/** Rows under a head, in columns. */
export const inColumns = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  return [line(head), ...rows.map(line)]
}

const isJudged = (row: Row): boolean => row.faults.length > 0 || worstPair(row)?.growth !== undefined

/** A row on a line, as soon as it was measured. */
export const lineOf = (row: Row): string =>
  cells(row)
    .filter((cell) => cell !== "")
    .join(" | ")

/** The table of what was judged, and how much there was beside. */
export const tableOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const shown = rows.filter(isJudged)
  const small = rows.filter((row) => !isJudged(row))
  const largest = Math.max(0, ...small.map((row) => (row.points.length === 0 ? 0 : holdOf(row))))
  return [
    ...inColumns(HEAD, shown.map(cells)),
    "",
    `${rows.length} rows, ${rows.length - small.length} judged, ${rows.filter(({ faults }) => faults.length > 0).length} over a bound.`,
    `${small.length} cost less than ${JUDGED_MILLIS} ms at every size; the longest hold among them was ${largest.toFixed(0)} ms.`
  ]
}
