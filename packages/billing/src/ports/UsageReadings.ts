import type { Page, PageRequest, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { BillingDay, Span } from "../BillingMonth.ts"
import type { KeySource, LedgerEntry } from "../LedgerEntry.ts"
import type { DayFigures } from "../RollUp.ts"
import type { OutcomeCounts, UsageSums } from "../UsageCells.ts"

/** The filters of a reading; undefined narrows nothing. Runs know only their agent. */
export interface UsageFilter {
  readonly agentId: string | undefined
  readonly provider: string | undefined
  /** As it was asked for. */
  readonly model: string | undefined
}

/** The field by which sums are kept apart. */
export type UsageGrouping = "model" | "provider" | "agent_id"

/** Which roll-ups make up a time: whole days, and the cells of hours before and behind them. */
export interface UsageSpans {
  readonly days: Span | undefined
  readonly hours: ReadonlyArray<Span>
}

/** The sums of a group that one kind of key paid for. `group` is null where nothing is kept apart. */
export interface GroupedUsage extends UsageSums {
  readonly group: string | null
  readonly keySource: KeySource
}

/** How the runs of a group ended. */
export interface GroupedOutcomes extends OutcomeCounts {
  readonly group: string | null
}

/** A cell of the series of hours. */
export interface UsageAt extends UsageSums {
  readonly at: DateTime.Utc
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
 * Reads usage from the roll-ups. Only readings of one run touch the ledger, by index and within the span of the run's calls.
 * `asOf` and the reading are of one moment. Held by `rollUpContract`.
 */
export class UsageReadings extends Context.Service<
  UsageReadings,
  {
    /** As of when the roll-ups are. */
    readonly asOf: Effect.Effect<DateTime.Utc>
    /** Sums over the spans; runs by agent alone, one group unless they are grouped by it. */
    readonly usage: (
      workspaceId: WorkspaceId,
      spans: UsageSpans,
      options: { readonly filter: UsageFilter; readonly groupBy: UsageGrouping | undefined }
    ) => Effect.Effect<{
      readonly asOf: DateTime.Utc
      readonly usage: ReadonlyArray<GroupedUsage>
      readonly outcomes: ReadonlyArray<GroupedOutcomes>
    }>
    /** The cells of hours of a span that are not empty, earliest first. */
    readonly hours: (
      workspaceId: WorkspaceId,
      span: Span,
      filter: UsageFilter
    ) => Effect.Effect<{
      readonly asOf: DateTime.Utc
      readonly usage: ReadonlyArray<UsageAt>
      readonly runs: ReadonlyArray<{ readonly at: DateTime.Utc; readonly runs: number }>
    }>
    /** The days of a month, named as `2026-11`, on which there was something, earliest first. */
    readonly days: (
      workspaceId: WorkspaceId,
      month: string
    ) => Effect.Effect<{ readonly asOf: DateTime.Utc; readonly days: ReadonlyArray<DayFigures & BillingDay> }>
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
