import type { Page, PageRequest, WorkspaceId } from "@agent-platform/kernel"
import type { Distribution } from "@agent-platform/toolkit"
import { Context, type DateTime, type Effect } from "effect"
import type { BillingDay, Span } from "../BillingMonth.ts"
import type { KeySource, LedgerEntry } from "../LedgerEntry.ts"
import type { DayFigures, LatencyKind } from "../RollUp.ts"
import type { OutcomeCounts, PaidUsage, UsageSums } from "../UsageCells.ts"
import type { CellDimension, GroupedUsage, UsageDimension } from "../UsageGroups.ts"

/** The filters of a reading; an undefined one lets all through. Runs are filtered by agent alone. */
export interface UsageFilter {
  readonly agentId: string | undefined
  readonly provider: string | undefined
  /** As it was asked for. */
  readonly model: string | undefined
}

/** The roll-ups that make up a time: whole days, and the hours before and after them. */
export interface UsageSpans {
  readonly days: Span | undefined
  readonly hours: ReadonlyArray<Span>
}

/** The roll-ups that make up a time in one workspace, by days of its own calendar. */
export interface WorkspaceSpans extends UsageSpans {
  readonly workspaceId: WorkspaceId
}

/** A group's usage on a day, named as `2026-11-21`, in all workspaces of the reading. */
export interface GroupedDay extends GroupedUsage {
  readonly date: string
}

/** The usage of an hour, or of a part of one. */
export interface UsageAt extends PaidUsage {
  readonly at: DateTime.Utc
}

/** The outcomes of an hour, or of a part of one. */
export interface OutcomesAt extends OutcomeCounts {
  readonly at: DateTime.Utc
}

/** The durations of an hour, or of a part of one. */
export interface LatencyAt {
  readonly at: DateTime.Utc
  readonly kind: LatencyKind
  readonly distribution: Distribution
}

/** The sums of a run's calls to a model. */
export interface RunModelSums extends UsageSums {
  readonly provider: string
  readonly model: string
  readonly keySource: KeySource
  /** The price version of the last call that has one; null when none has. */
  readonly priceVersion: string | null
}

/**
 * Reads usage of one workspace or of several together from the roll-ups. Only readings of one run, and readings by tags or metadata,
 * touch the ledger, by index and within a span. `asOf` and the reading are of one moment. Tested by `rollUpContract`.
 */
export class UsageReadings extends Context.Service<
  UsageReadings,
  {
    /** The time up to which the roll-ups are complete. */
    readonly asOf: Effect.Effect<DateTime.Utc>
    /**
     * Sums over the spans by these dimensions: the `GROUPS_MAX` groups that cost most, and the rest; without dimensions at most one
     * group. `runs` counts the runs of all groups.
     */
    readonly usage: (
      spans: ReadonlyArray<WorkspaceSpans>,
      options: { readonly filter: UsageFilter; readonly groupBy: ReadonlyArray<CellDimension> }
    ) => Effect.Effect<{
      readonly asOf: DateTime.Utc
      readonly groups: ReadonlyArray<GroupedUsage>
      readonly runs: OutcomeCounts
    }>
    /**
     * As `usage`, of a span, by tags or metadata as well, from the ledger and the runs that still exist. Only calls that are in the
     * roll-ups count. A call counts in the group of each of its run's tags, and in that of null where its run has none.
     */
    readonly labelled: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      span: Span,
      options: { readonly filter: UsageFilter; readonly groupBy: ReadonlyArray<UsageDimension> }
    ) => Effect.Effect<ReadonlyArray<GroupedUsage>>
    /** The cells of hours of a span that are not empty, each list earliest first. */
    readonly hours: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      span: Span,
      filter: UsageFilter
    ) => Effect.Effect<{
      readonly asOf: DateTime.Utc
      readonly usage: ReadonlyArray<UsageAt>
      readonly outcomes: ReadonlyArray<OutcomesAt>
      readonly latencies: ReadonlyArray<LatencyAt>
    }>
    /**
     * The days of a month, named as `2026-11`, that have figures, earliest first. A day of several workspaces adds up the day of each
     * one's own calendar, and spans all of these.
     */
    readonly days: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      month: string
    ) => Effect.Effect<{ readonly asOf: DateTime.Utc; readonly days: ReadonlyArray<DayFigures & BillingDay> }>
    /**
     * The usage of these days by the dimensions, earliest day first, with what was recorded after a day was final: the `GROUPS_MAX`
     * groups that cost most in the month, and the rest.
     */
    readonly groupedDays: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      month: string,
      groupBy: ReadonlyArray<CellDimension>
    ) => Effect.Effect<ReadonlyArray<GroupedDay>>
    /** The sums of the run's calls by provider, model and kind of key, corrections included. */
    readonly runCosts: (
      workspaceId: WorkspaceId,
      runId: string,
      called: Span
    ) => Effect.Effect<ReadonlyArray<RunModelSums>>
    /**
     * The run's calls, newest first by `seq`, each with its last corrected price. `before` of the page is the last `seq` already
     * seen, as text.
     */
    readonly runRequests: (
      workspaceId: WorkspaceId,
      runId: string,
      called: Span,
      page: PageRequest
    ) => Effect.Effect<Page<LedgerEntry>>
  }
>()("@agent-platform/billing/UsageReadings") {}
