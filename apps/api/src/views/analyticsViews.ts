import {
  type Analytics,
  type LedgerEntry,
  type OutcomeCounts,
  type PaidUsage,
  totalOf,
  type UsageSums
} from "@agent-platform/billing"
import type { WorkspaceId } from "@agent-platform/kernel"
import type { Effect } from "effect"

type Answer<Reading extends keyof Analytics["Service"]> = Effect.Success<ReturnType<Analytics["Service"][Reading]>>

const tokens = (sums: Omit<UsageSums, "requests" | "unpricedRequests" | "costUsd">) => ({
  inputTokens: sums.inputTokens,
  cacheReadTokens: sums.cacheReadTokens,
  cacheWriteTokens: sums.cacheWriteTokens,
  outputTokens: sums.outputTokens,
  reasoningTokens: sums.reasoningTokens
})

const outcomes = (counts: OutcomeCounts) => ({ ...counts, total: totalOf(counts) })

const paid = (sums: PaidUsage) => ({
  usage: { requests: sums.requests, ...tokens(sums) },
  costUsd: sums.costUsd,
  byokCostUsd: sums.byokCostUsd,
  platformCostUsd: sums.platformCostUsd,
  unpricedRequests: sums.unpricedRequests
})

/** The usage of a workspace, as the contract shows it. */
export const usageView = (
  workspaceId: WorkspaceId,
  { asOf, groups, runs, since, until, usage }: Answer<"readUsage">
) => ({
  workspaceId,
  since,
  until,
  asOf,
  currency: "USD" as const,
  runs: outcomes(runs),
  ...paid(usage),
  ...(groups === undefined
    ? {}
    : {
        groups: groups.map((group) => ({
          key: group.key,
          runs: group.runs === null ? null : outcomes(group.runs),
          ...paid(group.usage)
        }))
      })
})

/** The bill of a month, as the contract shows it. */
export const billingMonthView = ({ asOf, cap, isClosed, items, month, totals }: Answer<"readBillingMonth">) => ({
  period: month.month,
  timezone: month.timezone,
  status: isClosed ? ("closed" as const) : ("open" as const),
  asOf,
  currency: "USD" as const,
  cap,
  items,
  totals
})

/** The costs of a run, as the contract shows them. */
export const runCostsView = (runId: string, { items, reservedUsd, totalCostUsd }: Answer<"readRunCosts">) => ({
  runId,
  currency: "USD" as const,
  totalCostUsd,
  reservedUsd,
  items
})

/** A request to a model provider, as the contract shows it. */
export const runRequestView = (entry: LedgerEntry) => ({
  requestId: entry.id,
  seq: entry.seq,
  attempt: entry.attempt,
  provider: entry.provider,
  requestModel: entry.requestModel,
  responseModel: entry.responseModel,
  status: entry.status,
  errorCode: entry.errorCode,
  finishReason: entry.finishReason,
  startedAt: entry.startedAt,
  durationMs: entry.durationMillis,
  timeToFirstTokenMs: entry.timeToFirstTokenMillis,
  ...tokens(entry),
  usageSource: entry.usageSource,
  costUsd: entry.costUsd,
  keySource: entry.keySource,
  keyId: entry.keyId,
  priceVersion: entry.priceVersion
})
