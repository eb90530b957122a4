/** The cost of model calls: the ledger, prices, caps and readings. */

export { Analytics, type AnalyticsPorts } from "./Analytics.ts"
export { Billing, type BillingPorts } from "./Billing.ts"
export {
  type BillingDay,
  type BillingMonth,
  cellStart,
  dayAt,
  daysOf,
  isFinal,
  isWholeHour,
  nextHour,
  type Span,
  withoutOverlap
} from "./BillingMonth.ts"
export { capStatus, countsAsReached, dueNotice, verdictOn } from "./Cap.ts"
export { CallExceedsCap, CapReached, ModelUnpriced } from "./errors.ts"
export { billingEventKinds } from "./events.ts"
export {
  CallId,
  type CallOrigin,
  type KeySource,
  type LedgerEntry
} from "./LedgerEntry.ts"
export { addUsd, readUsd, writeUsd, ZERO_USD } from "./Money.ts"
export { normaliseUsage, type UsageDialect, usageOfAnswer } from "./normaliseUsage.ts"
export {
  costOf,
  flatRate,
  type Price,
  type Rate,
  type WorstRates,
  worstCostAt,
  worstCostOf,
  worstRatesOf
} from "./Price.ts"
export {
  effectiveOverride,
  overriddenPrice,
  type PriceOverride,
  PriceOverrideId,
  PriceOverrideNotFound,
  type PriceScope
} from "./PriceOverride.ts"
export { AgentNames } from "./ports/AgentNames.ts"
export { type CallEnd, CallLedger, type Reserved, type Settled } from "./ports/CallLedger.ts"
export { LedgerEraser } from "./ports/LedgerEraser.ts"
export { PriceBook } from "./ports/PriceBook.ts"
export { PriceOverrideStore } from "./ports/PriceOverrideStore.ts"
export { type KeptMonth, RollUpStore } from "./ports/RollUpStore.ts"
export { RunCosts } from "./ports/RunCosts.ts"
export { RunSummaries } from "./ports/RunSummaries.ts"
export { UsageCorrections } from "./ports/UsageCorrections.ts"
export { type Portion, type PortionRequest, UsageFeed } from "./ports/UsageFeed.ts"
export {
  type GroupedDay,
  type LatencyAt,
  type OutcomesAt,
  type RunModelSums,
  type UsageAt,
  type UsageFilter,
  UsageReadings,
  type UsageSpans,
  type WorkspaceSpans
} from "./ports/UsageReadings.ts"
export { type ReadWorkspace, type WorkspaceCalendar, WorkspaceCalendars } from "./ports/WorkspaceCalendars.ts"
export { type WorkspaceCap, WorkspaceCaps } from "./ports/WorkspaceCaps.ts"
export {
  HOURS_MAX,
  hoursOf,
  ORGANIZATION_HOURS_MAX,
  RANGE_DAYS_MAX,
  RangeRefused,
  rangeOf,
  spansOf
} from "./ReadingRange.ts"
export { type Granted, type NewReservation, RESERVATION_MINUTES, type Reservation } from "./Reservation.ts"
export {
  ALL_AGENTS,
  type DayDelta,
  type DayFigures,
  type LatencyDelta,
  type LatencyKind,
  type OutcomeDelta,
  type RollUpDeltas,
  type RollUpLevel,
  type RollUpState,
  rollUp,
  type UsageDelta,
  type UsageWatermark
} from "./RollUp.ts"
export {
  type RollUpWorkerOptions,
  type RollUpWorkerPorts,
  startRollUpWorker
} from "./RollUpWorker.ts"
export { type MonthSpend, NO_SPEND, type Spend } from "./Spend.ts"
export { NO_TOKENS, type TokenUsage } from "./TokenUsage.ts"
export { MODEL_MEASURES, spanAttributes } from "./telemetry.ts"
export {
  addOutcomes,
  NO_OUTCOMES,
  NO_SUMS,
  type OutcomeCell,
  type OutcomeCounts,
  type PaidUsage,
  totalOf,
  type UsageCell,
  type UsageSums
} from "./UsageCells.ts"
export { CorrectionId, type UsageCorrection } from "./UsageCorrection.ts"
export {
  type CellDimension,
  canGroupRuns,
  DIMENSIONS_MAX,
  GROUPS_MAX,
  type GroupedUsage,
  type GroupKey,
  isCellDimension,
  LABELLED_REQUESTS_MAX,
  metadataName,
  type RunDimension,
  type UsageDimension
} from "./UsageGroups.ts"
export type { Named, NamedKey } from "./use-cases/analytics/namedGroups.ts"
export type { BilledDay, BilledFigures } from "./use-cases/analytics/readBillingMonth.ts"
export type { Percentiles, UsageHour } from "./use-cases/analytics/readHourlyUsage.ts"
export type { ReadingOf } from "./use-cases/analytics/readingOf.ts"
export { BilledRunNotFound } from "./use-cases/analytics/readRunCosts.ts"
export { type Rerated, type RerateUsage, rerateUsage } from "./use-cases/analytics/rerateUsage.ts"
export { type RolledUp, rollUpUsage } from "./use-cases/analytics/rollUpUsage.ts"
export { expireReservations } from "./use-cases/expireReservations.ts"
export { removePrice } from "./use-cases/removePrice.ts"
export type { Admission, ReserveCall } from "./use-cases/reserveCall.ts"
export { type SetPrice, setPrice } from "./use-cases/setPrice.ts"
export type { SeenTokens, SettleCall } from "./use-cases/settleCall.ts"
