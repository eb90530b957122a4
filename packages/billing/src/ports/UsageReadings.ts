import type { Page, PageRequest, WorkspaceId } from "@agent-platform/kernel"
import type { Distribution } from "@agent-platform/toolkit"
import { Context, type DateTime, type Effect } from "effect"
import type { BillingDay, Span } from "../BillingMonth.ts"
import type { KeySource, LedgerEntry } from "../LedgerEntry.ts"
import type { DayFigures, LatencyKind } from "../RollUp.ts"
import type { OutcomeCounts, PaidUsage, UsageSums } from "../UsageCells.ts"
import type { CellDimension, GroupedUsage, UsageDimension } from "../UsageGroups.ts"

/** The filters of a reading; undefined narrows nothing. Runs know only their agent. */
export interface UsageFilter {
  readonly agentId: string | undefined
  readonly provider: string | undefined
  /** As it was asked for. */
  readonly model: string | undefined
}

/** Which roll-ups make up a time: whole days, and the cells of hours before and behind them. */
export interface UsageSpans {
  readonly days: Span | undefined
  readonly hours: ReadonlyArray<Span>
}

/** The roll-ups that make up a time in one workspace: its days are those of its own calendar. */
export interface WorkspaceSpans extends UsageSpans {
  readonly workspaceId: WorkspaceId
}

/** A group's usage on a day, named as `2026-11-21`, of whichever workspaces have it. */
export interface GroupedDay extends GroupedUsage {
  readonly date: string
}

/** A cell of the series of hours. */
export interface UsageAt extends PaidUsage {
  readonly at: DateTime.Utc
}

/** The same of runs. */
export interface OutcomesAt extends OutcomeCounts {
  readonly at: DateTime.Utc
}

/** The same of durations. */
export interface LatencyAt {
  readonly at: DateTime.Utc
  readonly kind: LatencyKind
  readonly distribution: Distribution
}

/** The sums of a model of a run. */
export interface RunModelSums extends UsageSums {
  readonly provider: string
  readonly model: string
  readonly keySource: KeySource
  /** Of the last call; null when nobody knows its price. */
  readonly priceVersion: string | null
}

/**
 * Reads usage of one workspace or of several together from the roll-ups. Only readings of one run, and those by what runs alone
 * know, touch the ledger, by index and within a span. `asOf` and the reading are of one moment. Held by `rollUpContract`.
 */
export class UsageReadings extends Context.Service<
  UsageReadings,
  {
    /** As of when the roll-ups are. */
    readonly asOf: Effect.Effect<DateTime.Utc>
    /**
     * Sums over the spans by these dimensions, the dearest `GROUPS_MAX` and the rest; without dimensions at most one group. `runs`
     * are all of them.
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
     * The same of a span by tags or metadata as well, out of the ledger and the runs that are there: only calls that are in the
     * roll-ups. A call counts in the group of each of its run's tags, and in that of null where its run has none.
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
     * The days of a month, named as `2026-11`, on which there was something, earliest first. A day of several workspaces is that of
     * each one's own calendar; it spans all of them.
     */
    readonly days: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      month: string
    ) => Effect.Effect<{ readonly asOf: DateTime.Utc; readonly days: ReadonlyArray<DayFigures & BillingDay> }>
    /**
     * The usage of these days by the dimensions, earliest day first, with all that was recorded since a day was final: the dearest
     * `GROUPS_MAX` of the month, and the rest.
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
