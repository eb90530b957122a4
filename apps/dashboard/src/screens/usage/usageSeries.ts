/** Turns usage into bars by day. */
import type { HourlyUsage } from "@agent-platform/client"
import type { Month } from "../../api/usage.ts"
import { type Day, FILLS, OTHER_FILL, type Series } from "../../charts/series.ts"
import { othersOf, partOf } from "./groupings.ts"

interface Bars {
  readonly days: ReadonlyArray<Day>
  readonly series: ReadonlyArray<Series>
}

const OTHERS = "others"

/** The cost of each day, split by the month's first grouping: its six dearest values, and the others together. */
export const costBars = ({ by: [by = "model"], items }: Month): Bars => {
  const sums = new Map<string, { readonly label: string; readonly cost: number }>()
  let hasOthers = false
  for (const group of items.flatMap(({ groups = [] }) => groups)) {
    const part = partOf(group, by)
    if (part === undefined) hasOthers = true
    else sums.set(part.id, { label: part.label, cost: (sums.get(part.id)?.cost ?? 0) + Number(group.cost_usd) })
  }
  const dearest = [...sums].sort(([, one], [, two]) => two.cost - one.cost)
  const shown = dearest.slice(0, FILLS.length)
  // Series are named by their place: a part's own id could be that of the others.
  const places = new Map(shown.map(([id], place) => [id, `part ${place}`]))
  const days = items.map(({ date, groups = [] }) => {
    const values: Record<string, number> = {}
    for (const group of groups) {
      const id = places.get(partOf(group, by)?.id ?? "") ?? OTHERS
      values[id] = (values[id] ?? 0) + Number(group.cost_usd)
    }
    return { date, values }
  })
  const series = shown.map(([, { label }], place) => ({ id: `part ${place}`, label, fill: FILLS[place] ?? OTHER_FILL }))
  if (dearest.length === shown.length && !hasOthers) return { days, series }
  return { days, series: [...series, { id: OTHERS, label: othersOf(by), fill: OTHER_FILL }] }
}

const OUTCOMES = [
  { id: "succeeded", label: "Succeeded", fill: "fill-good" },
  { id: "paused", label: "Paused", fill: "fill-warn" },
  { id: "failed", label: "Failed", fill: "fill-bad" },
  { id: "cancelled", label: "Cancelled", fill: "fill-edge" }
] as const

/** How the runs of each day ended; days are those of the workspace's time zone. */
export const outcomeBars = ({ items, timezone }: HourlyUsage): Bars => {
  // This locale writes a date as 2026-11-21.
  const dateFormat = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone })
  const days = new Map<string, Record<string, number>>()
  for (const { hour, outcomes } of items) {
    const date = dateFormat.format(new Date(hour))
    const values = days.get(date) ?? {}
    days.set(date, values)
    for (const { id } of OUTCOMES) values[id] = (values[id] ?? 0) + outcomes[id]
  }
  return { days: [...days].map(([date, values]) => ({ date, values })), series: OUTCOMES }
}
