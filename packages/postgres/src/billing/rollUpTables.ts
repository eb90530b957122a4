/** Usage, outcomes and days as they are rolled up, and as they are read of several rows together. */
import type {
  DayDelta,
  DayFigures,
  KeptMonth,
  LatencyDelta,
  LatencyKind,
  OutcomeCounts,
  OutcomeDelta,
  OutcomesAt,
  PaidUsage,
  RunModelSums,
  Span,
  UsageAt,
  UsageCell,
  UsageDelta,
  UsageSums
} from "@agent-platform/billing"
import type { Distribution } from "@agent-platform/toolkit"
import type { DateTime } from "effect"
import {
  bigint,
  boolean,
  date,
  integer,
  money,
  named,
  nullable,
  plainJson,
  text,
  timestamptz,
  uuid
} from "../columnTypes.ts"
import { type Fields, makeTable } from "../table.ts"
import { tokens } from "./callTable.ts"

const sums: Fields<UsageSums> = { requests: bigint(), unpricedRequests: bigint(), ...tokens, costUsd: money() }

const counts: Fields<OutcomeCounts> = { succeeded: bigint(), paused: bigint(), failed: bigint(), cancelled: bigint() }

const figures: Fields<DayFigures> = {
  runs: bigint(),
  requests: bigint(),
  unpricedRequests: bigint(),
  byokCostUsd: money(),
  platformCostUsd: money(),
  adjustmentsUsd: money(),
  revision: integer()
}

const span: Fields<Span> = { start: named("starts_at", timestamptz()), end: named("ends_at", timestamptz()) }

const cell: Fields<Omit<UsageCell, "at" | "firstToken">> = {
  organizationId: uuid(),
  workspaceId: uuid(),
  agentId: uuid(),
  provider: text(),
  model: text(),
  keySource: text(),
  ...sums
}

export const cellTable = makeTable<UsageCell>("cell", { ...cell, at: timestamptz(), firstToken: plainJson() })

export const usageTable = makeTable<UsageDelta>("usage_roll_up", { ...cell, level: text(), start: span.start })

export const outcomeTable = makeTable<OutcomeDelta>("outcome_roll_up", {
  organizationId: uuid(),
  workspaceId: uuid(),
  level: text(),
  start: span.start,
  agentId: uuid(),
  ...counts
})

export const latencyTable = makeTable<LatencyDelta>("latency_roll_up", {
  organizationId: uuid(),
  workspaceId: uuid(),
  kind: text(),
  start: span.start,
  agentId: uuid(),
  provider: text(),
  model: text(),
  distribution: plainJson()
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

/** The sum of a column, under its name. */
export const summed = (column: string): string => `sum(${column}) as ${column}`

/** The columns of the tables above that are added up. */
export const sumsTable = makeTable<UsageSums>("usage_roll_up", sums)
export const countsTable = makeTable<OutcomeCounts>("outcome_roll_up", counts)
export const figuresTable = makeTable<DayFigures>("billing_day", figures)

const paid: Fields<PaidUsage> = { ...sums, byokCostUsd: money(), platformCostUsd: money() }

/** A group of an answer: its usage, and how its runs ended where the groups tell runs apart as well. */
export interface GroupRow extends PaidUsage, OutcomeCounts {
  readonly key1: string | null
  readonly key2: string | null
  readonly isOther: boolean
}

export const groupTable = makeTable<GroupRow>("added", {
  key1: named("key_1", nullable(text())),
  key2: named("key_2", nullable(text())),
  isOther: boolean(),
  ...paid,
  ...counts
})

export const usageAtTable = makeTable<UsageAt>("added", { at: span.start, ...paid })

export const outcomesAtTable = makeTable<OutcomesAt>("added", { at: span.start, ...counts })

/** The distributions of an hour, of one kind. */
export interface LatencyRow {
  readonly at: DateTime.Utc
  readonly kind: LatencyKind
  readonly distributions: ReadonlyArray<Distribution>
}

export const latencyAtTable = makeTable<LatencyRow>("added", {
  at: span.start,
  kind: text(),
  distributions: plainJson()
})

export const runModelTable = makeTable<RunModelSums>("call", {
  provider: text(),
  model: text(),
  keySource: text(),
  priceVersion: nullable(text()),
  ...sums
})
