/** Turns usage into bars by day. */
import type { BillingMonth, HourlyUsage } from "@agent-platform/client"
import { type Day, FILLS, OTHER_FILL, type Series } from "../../charts/series.ts"

interface Bars {
  readonly days: ReadonlyArray<Day>
  readonly series: ReadonlyArray<Series>
}

const OTHER = "other models"

const nameOf = (model: string | null | undefined): string => model ?? OTHER

/** The cost of each day by model: the dearest six of the month, and the others together. */
export const costBars = ({ items }: BillingMonth): Bars => {
  const sums = new Map<string, number>()
  for (const { groups = [] } of items) {
    for (const { cost_usd, model } of groups) {
      sums.set(nameOf(model), (sums.get(nameOf(model)) ?? 0) + Number(cost_usd))
    }
  }
  const named = [...sums].filter(([model]) => model !== OTHER).sort(([, one], [, two]) => two - one)
  const shown = named.slice(0, FILLS.length).map(([model]) => model)
  const hasOthers = named.length > shown.length || sums.has(OTHER)
  const days = items.map(({ date, groups = [] }) => {
    const values: Record<string, number> = {}
    for (const { cost_usd, model } of groups) {
      const id = shown.includes(nameOf(model)) ? nameOf(model) : OTHER
      values[id] = (values[id] ?? 0) + Number(cost_usd)
    }
    return { date, values }
  })
  const series = shown.map((model, place) => ({ id: model, label: model, fill: FILLS[place] ?? OTHER_FILL }))
  return { days, series: hasOthers ? [...series, { id: OTHER, label: OTHER, fill: OTHER_FILL }] : series }
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
