/** Usage added up: the cells that roll-ups are made of, and sums over them. */
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { Distribution } from "@agent-platform/toolkit"
import { BigDecimal, type DateTime } from "effect"
import type { KeySource } from "./LedgerEntry.ts"
import { ZERO_USD } from "./Money.ts"
import { NO_TOKENS, type TokenUsage } from "./TokenUsage.ts"

/** The sums over a number of model calls. Money is in USD, as a decimal with 2 to 12 decimals. */
export interface UsageSums extends TokenUsage {
  readonly requests: number
  /** How many of these calls have no known price. They are not in `costUsd`. */
  readonly unpricedRequests: number
  readonly costUsd: string
}

export const NO_SUMS: UsageSums = { ...NO_TOKENS, requests: 0, unpricedRequests: 0, costUsd: ZERO_USD }

/** Usage sums, with the cost split by whose keys paid: the workspace's own and the platform's. */
export interface PaidUsage extends UsageSums {
  readonly byokCostUsd: string
  readonly platformCostUsd: string
}

export const NO_PAID_USAGE: PaidUsage = { ...NO_SUMS, byokCostUsd: ZERO_USD, platformCostUsd: ZERO_USD }

/** How many runs ended, by how they ended. A run that ended on a question is paused and not succeeded. */
export interface OutcomeCounts {
  readonly succeeded: number
  readonly paused: number
  readonly failed: number
  readonly cancelled: number
}

export const NO_OUTCOMES: OutcomeCounts = { succeeded: 0, paused: 0, failed: 0, cancelled: 0 }

/** The sums over the model calls of a quarter of an hour with the same agent, model and kind of key. */
export interface UsageCell extends UsageSums {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  /** When the quarter begins. Zones are whole quarters away from UTC, so it lies in one hour and one day of any zone. */
  readonly at: DateTime.Utc
  readonly agentId: string
  readonly provider: string
  /** The model as it was asked for. */
  readonly model: string
  readonly keySource: KeySource
  /** How long the first token took in calls that were streamed. */
  readonly firstToken: Distribution
}

/** The runs of an agent that ended in a quarter of an hour. */
export interface OutcomeCell extends OutcomeCounts {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly at: DateTime.Utc
  readonly agentId: string
  /** How long runs that began took, from when they could begin to their end. */
  readonly latency: Distribution
}

/** The sum of two amounts that may be below zero, with 2 to 12 decimals. */
export const plusUsd = (one: string, other: string): string => {
  const sum = BigDecimal.sum(BigDecimal.fromStringUnsafe(one), BigDecimal.fromStringUnsafe(other))
  const [whole = "0", decimals = ""] = BigDecimal.format(sum).split(".")
  return `${whole}.${decimals.padEnd(2, "0")}`
}

/** The difference of two amounts, in the same form. */
export const minusUsd = (one: string, other: string): string =>
  plusUsd(one, BigDecimal.format(BigDecimal.negate(BigDecimal.fromStringUnsafe(other))))

/** The sum of two usage sums. */
export const addSums = (one: UsageSums, other: UsageSums): UsageSums => ({
  requests: one.requests + other.requests,
  unpricedRequests: one.unpricedRequests + other.unpricedRequests,
  inputTokens: one.inputTokens + other.inputTokens,
  cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
  cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  costUsd: plusUsd(one.costUsd, other.costUsd)
})

/** The same, with the costs by kind of key. */
export const addPaid = (one: PaidUsage, other: PaidUsage): PaidUsage => ({
  ...addSums(one, other),
  byokCostUsd: plusUsd(one.byokCostUsd, other.byokCostUsd),
  platformCostUsd: plusUsd(one.platformCostUsd, other.platformCostUsd)
})

/** The sum of two counts of outcomes. */
export const addOutcomes = (one: OutcomeCounts, other: OutcomeCounts): OutcomeCounts => ({
  succeeded: one.succeeded + other.succeeded,
  paused: one.paused + other.paused,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled
})

/** How many runs ended in all. */
export const totalOf = ({ cancelled, failed, paused, succeeded }: OutcomeCounts): number =>
  succeeded + paused + failed + cancelled
