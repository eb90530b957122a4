/** Usage, outcomes and days as they are rolled up, and as they are read of several rows together. */
import type {
  DayDelta,
  DayFigures,
  GroupedOutcomes,
  GroupedUsage,
  KeptMonth,
  OutcomeCounts,
  OutcomeDelta,
  RunModelSums,
  Span,
  UsageAt,
  UsageCell,
  UsageDelta,
  UsageSums
} from "@agent-platform/billing"
import { bigint, date, integer, money, named, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { type Fields, makeTable } from "../table.ts"
import { tokens } from "./callTable.ts"

const sums: Fields<UsageSums> = { requests: bigint(), unpricedRequests: bigint(), ...tokens, costUsd: money() }

const counts: Fields<OutcomeCounts> = { succeeded: bigint(), paused: bigint(), failed: bigint(), cancelled: bigint() }

const figures: Fields<DayFigures> = {
  runs: bigint(),
  requests: bigint(),
  byokCostUsd: money(),
  platformCostUsd: money(),
  adjustmentsUsd: money(),
  revision: integer()
}

const span: Fields<Span> = { start: named("starts_at", timestamptz()), end: named("ends_at", timestamptz()) }

const cell: Fields<Omit<UsageCell, "at">> = {
  organizationId: uuid(),
  workspaceId: uuid(),
  agentId: uuid(),
  provider: text(),
  model: text(),
  keySource: text(),
  ...sums
}

export const cellTable = makeTable<UsageCell>("cell", { ...cell, at: timestamptz() })

export const usageTable = makeTable<UsageDelta>("usage_roll_up", { ...cell, level: text(), start: span.start })

export const outcomeTable = makeTable<OutcomeDelta>("outcome_roll_up", {
  organizationId: uuid(),
  workspaceId: uuid(),
  level: text(),
  start: span.start,
  agentId: uuid(),
  ...counts
})

export const dayTable = makeTable<DayDelta>("billing_day", {
  organizationId: uuid(),
  workspaceId: uuid(),
  date: date(),
  ...span,
  ...figures
})

export const monthTable = makeTable<KeptMonth>("billing_month", {
  organizationId: uuid(),
  workspaceId: uuid(),
  month: text(),
  timezone: text(),
  ...span
})

/** The columns of the tables above that are added up. */
export const sumsTable = makeTable<UsageSums>("usage_roll_up", sums)
export const countsTable = makeTable<OutcomeCounts>("outcome_roll_up", counts)
export const figuresTable = makeTable<DayFigures>("billing_day", figures)

export const groupedUsageTable = makeTable<GroupedUsage>("added", {
  group: named("grouped_by", nullable(text())),
  keySource: text(),
  ...sums
})

export const groupedOutcomesTable = makeTable<GroupedOutcomes>("added", {
  group: named("grouped_by", nullable(text())),
  ...counts
})

export const usageAtTable = makeTable<UsageAt>("added", { at: named("starts_at", timestamptz()), ...sums })

export const runModelTable = makeTable<RunModelSums>("call", {
  provider: text(),
  model: text(),
  keySource: text(),
  priceVersion: nullable(text()),
  ...sums
})
