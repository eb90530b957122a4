/** Makes roll-ups of the ledger's records: pure functions over one batch. Spec: Analytics. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { addDistributions, type Distribution } from "@agent-platform/toolkit"
import { BigDecimal, DateTime } from "effect"
import { type BillingDay, type BillingMonth, cellStart, dayAt, isFinal } from "./BillingMonth.ts"
import { joinByKey } from "./joinByKey.ts"
import { ZERO_USD } from "./Money.ts"
import {
  addOutcomes,
  addSums,
  NO_OUTCOMES,
  NO_SUMS,
  type OutcomeCell,
  plusUsd,
  totalOf,
  type UsageCell
} from "./UsageCells.ts"

/** The length of a roll-up's span: a day, or an hour, of which there are parts where the zone is off by half an hour. */
export type RollUpLevel = "hour" | "day"

/** An addition to the usage of a span. */
export interface UsageDelta extends Omit<UsageCell, "at" | "firstToken"> {
  readonly level: RollUpLevel
  readonly start: DateTime.Utc
}

/** An addition to the outcomes of runs in a span. */
export interface OutcomeDelta extends Omit<OutcomeCell, "at" | "latency"> {
  readonly level: RollUpLevel
  readonly start: DateTime.Utc
}

/** Durations that are kept as distributions: of runs, and of model calls until their first token. */
export type LatencyKind = "run" | "first_token"

/** An addition to the durations of an hour. Provider and model are empty for runs and for all agents together (`ALL_AGENTS`). */
export interface LatencyDelta extends Pick<UsageCell, "organizationId" | "workspaceId" | "agentId"> {
  readonly kind: LatencyKind
  readonly start: DateTime.Utc
  readonly provider: string
  readonly model: string
  readonly distribution: Distribution
}

/** Stands for the agent in the durations of all agents together, which are kept beside those of each. */
export const ALL_AGENTS = "00000000-0000-0000-0000-000000000000"

/** The figures of a workspace's day. Once it is final, only the adjustments and the revision change. */
export interface DayFigures {
  readonly runs: number
  readonly requests: number
  /** How many of these calls have no known price. They are in no cost. */
  readonly unpricedRequests: number
  readonly byokCostUsd: string
  readonly platformCostUsd: string
  /** The cost that was recorded after the day was final; it may be below zero. */
  readonly adjustmentsUsd: string
  /** How often there was something to adjust. */
  readonly revision: number
}

export const NO_FIGURES: DayFigures = {
  runs: 0,
  requests: 0,
  unpricedRequests: 0,
  byokCostUsd: ZERO_USD,
  platformCostUsd: ZERO_USD,
  adjustmentsUsd: ZERO_USD,
  revision: 0
}

/** The sum of the figures of two days. */
export const addFigures = (one: DayFigures, other: DayFigures): DayFigures => ({
  runs: one.runs + other.runs,
  requests: one.requests + other.requests,
  unpricedRequests: one.unpricedRequests + other.unpricedRequests,
  byokCostUsd: plusUsd(one.byokCostUsd, other.byokCostUsd),
  platformCostUsd: plusUsd(one.platformCostUsd, other.platformCostUsd),
  adjustmentsUsd: plusUsd(one.adjustmentsUsd, other.adjustmentsUsd),
  revision: one.revision + other.revision
})

/** An addition to a day. */
export interface DayDelta extends DayFigures, BillingDay {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** The key of the usage that an addition belongs to. */
export const usageKey = (of: UsageDelta): string => `${outcomeKey(of)}\n${of.provider}\n${of.model}\n${of.keySource}`

/** The key of the outcomes that an addition belongs to. */
export const outcomeKey = ({ agentId, level, start, workspaceId }: OutcomeDelta | UsageDelta): string =>
  [workspaceId, level, DateTime.formatIso(start), agentId].join("\n")

/** The key of the durations that an addition belongs to. */
export const latencyKey = ({ agentId, kind, model, provider, start, workspaceId }: LatencyDelta): string =>
  [workspaceId, kind, DateTime.toEpochMillis(start), agentId, provider, model].join("\n")

/** The key of the day that an addition belongs to. */
export const dayKey = ({ date, workspaceId }: DayDelta): string => `${workspaceId} ${date}`

/** Everything that a batch adds. */
export interface RollUpDeltas {
  readonly usage: ReadonlyArray<UsageDelta>
  readonly outcomes: ReadonlyArray<OutcomeDelta>
  readonly latencies: ReadonlyArray<LatencyDelta>
  readonly days: ReadonlyArray<DayDelta>
}

/** How far the marks of the store's rows go. */
export interface UsageWatermark {
  /** No row with a mark below this one is added any more. */
  readonly closed: bigint
  /** All rows that are recorded by now have a mark below this one. */
  readonly open: bigint
  /** The store's own time. */
  readonly at: DateTime.Utc
}

/** How far the roll-ups have come. */
export interface RollUpState {
  /** The places after the last calls, corrections and ended runs that are in the roll-ups; undefined before the first. */
  readonly calls: string | undefined
  readonly corrections: string | undefined
  readonly runs: string | undefined
  /** Everything that was recorded before this time is in the roll-ups. */
  readonly asOf: DateTime.Utc
  /** A watermark that was not reached yet: once everything below its mark is in the roll-ups, they are as of its time. */
  readonly sample: { readonly mark: bigint; readonly at: DateTime.Utc } | undefined
}

/** The spans that a cell belongs to: its day, and the beginning of its hour, or of the part of it that lies in that day. */
interface Place {
  readonly hour: DateTime.Utc
  readonly day: BillingDay
}

const isZero = (amount: string): boolean => BigDecimal.isZero(BigDecimal.fromStringUnsafe(amount))

const dayDelta = (cell: UsageCell | OutcomeCell, day: BillingDay, isLate: boolean): DayDelta => {
  const empty = { ...NO_FIGURES, ...day, organizationId: cell.organizationId, workspaceId: cell.workspaceId }
  if (!("costUsd" in cell)) return isLate ? empty : { ...empty, runs: totalOf(cell) }
  if (isLate) return { ...empty, adjustmentsUsd: cell.costUsd }
  const cost = cell.keySource === "byok" ? { byokCostUsd: cell.costUsd } : { platformCostUsd: cell.costUsd }
  return { ...empty, requests: cell.requests, unpricedRequests: cell.unpricedRequests, ...cost }
}

const latencyDeltas = (cell: UsageCell | OutcomeCell, start: DateTime.Utc): ReadonlyArray<LatencyDelta> => {
  const { agentId, organizationId, workspaceId } = cell
  const distribution = "latency" in cell ? cell.latency : cell.firstToken
  // Calls that were not streamed have no first token.
  if (Object.keys(distribution).length === 0) return []
  const kind = "latency" in cell ? "run" : "first_token"
  const ofAllAgents = { organizationId, workspaceId, kind, start, distribution, provider: "", model: "" } as const
  const named = "provider" in cell ? { provider: cell.provider, model: cell.model } : {}
  return [
    { ...ofAllAgents, agentId: ALL_AGENTS },
    { ...ofAllAgents, ...named, agentId }
  ]
}

/**
 * The additions of a batch to the roll-ups. `asOf` is the time of the roll-ups before it: a day that was final by then has been shown
 * as final, so its later usage is an adjustment. `monthOf` knows the month of every cell.
 */
export const rollUp = (
  usage: ReadonlyArray<UsageCell>,
  outcomes: ReadonlyArray<OutcomeCell>,
  monthOf: (cell: UsageCell | OutcomeCell) => BillingMonth,
  asOf: DateTime.Utc
): RollUpDeltas => {
  const places = new Map<string, Place>()
  const placeOf = (cell: UsageCell | OutcomeCell): Place => {
    const { at } = cell
    const month = monthOf(cell)
    // Months of the same name and zone differ in their bounds where a workspace's zone changes before or after them.
    const bounds = [month.start, month.end, at].map((time) => DateTime.toEpochMillis(time))
    const key = `${month.timezone} ${month.month} ${bounds.join(" ")}`
    const known = places.get(key)
    if (known !== undefined) return known
    const day = dayAt(month, at)
    const place = { hour: DateTime.max(cellStart(month.timezone, at), day.start), day }
    places.set(key, place)
    return place
  }
  const spread = <Cell extends UsageCell | OutcomeCell>(cell: Cell) => {
    const { day, hour } = placeOf(cell)
    return [
      { ...cell, level: "hour" as const, start: hour },
      { ...cell, level: "day" as const, start: day.start }
    ]
  }
  const all = [...usage, ...outcomes].map((cell) => ({ cell, place: placeOf(cell) }))
  const days = all.map(({ cell, place: { day } }) => dayDelta(cell, day, isFinal(day.end, asOf)))
  return {
    usage: joinByKey(usage.flatMap(spread), usageKey, (made: UsageDelta | undefined, one) => ({
      ...one,
      ...addSums(made ?? NO_SUMS, one)
    })),
    outcomes: joinByKey(outcomes.flatMap(spread), outcomeKey, (made: OutcomeDelta | undefined, one) => ({
      ...one,
      ...addOutcomes(made ?? NO_OUTCOMES, one)
    })),
    latencies: joinByKey(
      all.flatMap(({ cell, place }) => latencyDeltas(cell, place.hour)),
      latencyKey,
      (made: LatencyDelta | undefined, one) =>
        made === undefined ? one : { ...made, distribution: addDistributions(made.distribution, one.distribution) }
    ),
    days: joinByKey(days, dayKey, (made: DayDelta | undefined, one) =>
      made === undefined ? one : { ...made, ...addFigures(made, one) }
    ).map((day) => (isZero(day.adjustmentsUsd) ? day : { ...day, revision: 1 }))
  }
}

/**
 * The `asOf` of the roll-ups once all rows with marks below `reached` are in them. Only a watermark says at which time a mark was the
 * newest. Where all rows below its mark are in, they are as of its time; else it is remembered as the sample, until they are.
 */
export const progressOf = (
  { asOf, sample }: Pick<RollUpState, "asOf" | "sample">,
  watermark: UsageWatermark,
  reached: bigint
): Pick<RollUpState, "asOf" | "sample"> => {
  if (reached >= watermark.open) return { asOf: DateTime.max(asOf, watermark.at), sample: undefined }
  const next = { mark: watermark.open, at: watermark.at }
  if (sample === undefined) return { asOf, sample: next }
  return reached >= sample.mark ? { asOf: DateTime.max(asOf, sample.at), sample: next } : { asOf, sample }
}
