import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { BigDecimal, DateTime, Effect } from "effect"
import { joinByKey } from "../../joinByKey.ts"
import { ZERO_USD } from "../../Money.ts"
import {
  type GroupedOutcomes,
  type GroupedUsage,
  type UsageFilter,
  type UsageGrouping,
  UsageReadings
} from "../../ports/UsageReadings.ts"
import { type GivenRange, impossible, rangeOf, spansOf } from "../../ReadingRange.ts"
import {
  addOutcomes,
  addSums,
  NO_OUTCOMES,
  NO_SUMS,
  type OutcomeCounts,
  plusUsd,
  type UsageSums
} from "../../UsageCells.ts"
import { calendarOf, monthsOver } from "./monthsOver.ts"

/** A question for usage. */
export interface ReadUsage extends GivenRange {
  readonly caller: WorkspaceCaller
  readonly filter: UsageFilter
  readonly groupBy: UsageGrouping | undefined
}

/** Usage sums, with the cost split by whose keys paid: the workspace's own and the platform's. */
export interface PaidUsage extends UsageSums {
  readonly byokCostUsd: string
  readonly platformCostUsd: string
}

/** A group's part. Runs are known by agent: they are null where groups are models or providers. */
export interface UsageGroup {
  readonly key: string
  readonly runs: OutcomeCounts | null
  readonly usage: PaidUsage
}

const paidSums = (rows: ReadonlyArray<GroupedUsage>): PaidUsage =>
  rows.reduce<PaidUsage>(
    (sums, row) => ({
      ...addSums(sums, row),
      byokCostUsd: row.keySource === "byok" ? plusUsd(sums.byokCostUsd, row.costUsd) : sums.byokCostUsd,
      platformCostUsd: row.keySource === "platform" ? plusUsd(sums.platformCostUsd, row.costUsd) : sums.platformCostUsd
    }),
    { ...NO_SUMS, byokCostUsd: ZERO_USD, platformCostUsd: ZERO_USD }
  )

const outcomeSums = (rows: ReadonlyArray<OutcomeCounts>): OutcomeCounts => rows.reduce(addOutcomes, NO_OUTCOMES)

const dearestFirst = (one: UsageGroup, other: UsageGroup): number =>
  BigDecimal.Order(BigDecimal.fromStringUnsafe(other.usage.costUsd), BigDecimal.fromStringUnsafe(one.usage.costUsd)) ||
  (one.key < other.key ? -1 : 1)

const groupsOf = (
  usage: ReadonlyArray<GroupedUsage>,
  outcomes: ReadonlyArray<GroupedOutcomes>,
  groupBy: UsageGrouping
): ReadonlyArray<UsageGroup> => {
  const keys = joinByKey(
    [...usage, ...outcomes],
    ({ group }) => group ?? "",
    (_: string | undefined, { group }) => group ?? ""
  )
  return keys
    .map((key) => ({
      key,
      runs: groupBy === "agent_id" ? outcomeSums(outcomes.filter(({ group }) => group === key)) : null,
      usage: paidSums(usage.filter(({ group }) => group === key))
    }))
    .sort(dearestFirst)
}

/**
 * The usage of the caller's workspace in a span of whole hours, 366 days at most: the last 30 days by default. Runs
 * are those that ended in it; of the filters only the agent narrows them. Fails with `RangeRefused`.
 */
export const readUsage = useCase("billing.readUsage")(function* (query: ReadUsage) {
  const { caller, filter, groupBy } = query
  const readings = yield* UsageReadings
  const calendar = yield* calendarOf(caller)
  const now = yield* DateTime.now
  const span = rangeOf(query, calendar.monthAt(now).timezone, now)
  const refused = impossible(span)
  if (refused !== undefined) return yield* refused
  const spans = yield* Effect.fromResult(spansOf(query, span, yield* monthsOver(caller, calendar, span)))
  const read = yield* readings.usage(caller.workspaceId, spans, { filter, groupBy })
  return {
    since: span.start,
    until: span.end,
    asOf: read.asOf,
    runs: outcomeSums(read.outcomes),
    usage: paidSums(read.usage),
    groups:
      groupBy === undefined ? undefined : groupsOf(read.usage, groupBy === "agent_id" ? read.outcomes : [], groupBy)
  }
})
