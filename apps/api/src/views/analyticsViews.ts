import {
  type Analytics,
  type LedgerEntry,
  metadataName,
  type NamedKey,
  type OutcomeCounts,
  type PaidUsage,
  totalOf
} from "@agent-platform/billing"
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import type { Effect } from "effect"

type Answer<Reading extends keyof Analytics["Service"]> = Effect.Success<ReturnType<Analytics["Service"][Reading]>>

const USD = "USD" as const

const outcomes = (counts: OutcomeCounts) => ({ ...counts, total: totalOf(counts) })

const paid = (sums: PaidUsage) => ({ ...sums, usage: sums })

const keyView = ({ by, key, name }: NamedKey) => {
  switch (by) {
    case "model":
      return { model: key }
    case "provider":
      return { provider: key }
    case "agent_id":
      return { agentId: key, agentName: name }
    case "key_source":
      return { keySource: key as "byok" | "platform" | null }
    case "workspace_id":
      return { workspaceId: key, workspaceName: name }
    case "tag":
      return { tag: key }
    default:
      return { metadata: { [metadataName(by) ?? ""]: key } }
  }
}

/** The keys of a group, a member for each dimension; two names of metadata are pairs of one member. */
const keysView = (keys: ReadonlyArray<NamedKey>) => {
  const [first = {}, second = {}] = keys.map(keyView)
  const metadata = "metadata" in first && "metadata" in second ? { ...first.metadata, ...second.metadata } : undefined
  return {
    ...first,
    ...second,
    ...(metadata === undefined ? {} : { metadata }),
    key: keys[0]?.key ?? null
  }
}

const usedView = ({ groups, runs, usage, ...read }: Answer<"readUsage">) => ({
  ...read,
  currency: USD,
  runs: outcomes(runs),
  ...paid(usage),
  ...(groups === undefined
    ? {}
    : {
        groups: groups.map((group) => ({
          ...keysView(group.keys),
          other: group.isOther,
          runs: group.runs === null ? null : outcomes(group.runs),
          ...paid(group.usage)
        }))
      })
})

/** The usage of a workspace, as the contract shows it. */
export const usageView = (workspaceId: WorkspaceId, read: Answer<"readUsage">) => ({ ...usedView(read), workspaceId })

/** The usage of an organization, as the contract shows it. */
export const organizationUsageView = (organizationId: OrganizationId, read: Answer<"readUsage">) => ({
  ...usedView(read),
  organizationId
})

/** Usage by the hour, as the contract shows it. */
export const hourlyUsageView = ({ items, ...read }: Answer<"readHourlyUsage">) => ({
  ...read,
  items: items.map(({ outcomes: counts, runLatency, timeToFirstToken, ...item }) => ({
    ...item,
    runs: totalOf(counts),
    outcomes: outcomes(counts),
    runLatencyMs: runLatency,
    timeToFirstTokenMs: timeToFirstToken
  }))
})

/** The bill of an organization for a month, as the contract shows it. */
export const organizationBillingMonthView = ({ isClosed, items, month, ...read }: Answer<"readBillingMonth">) => ({
  ...read,
  period: month,
  status: isClosed ? ("closed" as const) : ("open" as const),
  currency: USD,
  items: items.map(({ groups, ...day }) => ({
    ...day,
    ...(groups === undefined
      ? {}
      : {
          groups: groups.map(({ isOther, keys, usage }) => ({ ...keysView(keys), other: isOther, ...usage }))
        })
  }))
})

/** The bill of a workspace for a month, as the contract shows it. */
export const billingMonthView = (read: Answer<"readBillingMonth">) => {
  const { cap, timezone } = read
  // A workspace has both.
  if (cap === null || timezone === null) throw new Error("The month of a workspace has no zone")
  return { ...organizationBillingMonthView(read), cap, timezone }
}

/** The costs of a run, as the contract shows them. */
export const runCostsView = (runId: string, costs: Answer<"readRunCosts">) => ({
  ...costs,
  runId,
  currency: USD
})

/** A request to a model provider, as the contract shows it. */
export const runRequestView = (entry: LedgerEntry) => ({
  ...entry,
  requestId: entry.id,
  durationMs: entry.durationMillis,
  timeToFirstTokenMs: entry.timeToFirstTokenMillis
})
