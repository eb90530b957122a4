import { type Analytics, type LedgerEntry, type OutcomeCounts, type PaidUsage, totalOf } from "@agent-platform/billing"
import type { WorkspaceId } from "@agent-platform/kernel"
import type { Effect } from "effect"

type Answer<Reading extends keyof Analytics["Service"]> = Effect.Success<ReturnType<Analytics["Service"][Reading]>>

const outcomes = (counts: OutcomeCounts) => ({ ...counts, total: totalOf(counts) })

const paid = (sums: PaidUsage) => ({ ...sums, usage: sums })

/** The usage of a workspace, as the contract shows it. */
export const usageView = (workspaceId: WorkspaceId, { groups, runs, usage, ...read }: Answer<"readUsage">) => ({
  ...read,
  workspaceId,
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
export const billingMonthView = ({ isClosed, month, ...read }: Answer<"readBillingMonth">) => ({
  ...read,
  period: month.month,
  timezone: month.timezone,
  status: isClosed ? ("closed" as const) : ("open" as const),
  currency: "USD" as const
})

/** The costs of a run, as the contract shows them. */
export const runCostsView = (runId: string, costs: Answer<"readRunCosts">) => ({
  ...costs,
  runId,
  currency: "USD" as const
})

/** A request to a model provider, as the contract shows it. */
export const runRequestView = (entry: LedgerEntry) => ({
  ...entry,
  requestId: entry.id,
  durationMs: entry.durationMillis,
  timeToFirstTokenMs: entry.timeToFirstTokenMillis
})
