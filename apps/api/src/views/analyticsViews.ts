import {
  type Analytics,
  type KeySource,
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

/** Costs stand beside `usage`, which has the counts: each schema takes its own members of the sums. */
const paid = (sums: PaidUsage) => ({ ...sums, usage: sums })

interface KeyView {
  readonly model?: string | null
  readonly provider?: string | null
  readonly agentId?: string | null
  readonly agentName?: string | null
  readonly keySource?: KeySource | null
  readonly workspaceId?: string | null
  readonly workspaceName?: string | null
  readonly tag?: string | null
}

const keyView = ({ by, key, name }: NamedKey): KeyView => {
  switch (by) {
    case "model":
      return { model: key }
    case "provider":
      return { provider: key }
    case "agent_id":
      return { agentId: key, agentName: name }
    case "key_source":
      return { keySource: key as KeySource | null }
    case "workspace_id":
      return { workspaceId: key, workspaceName: name }
    case "tag":
      return { tag: key }
    default:
      return {}
  }
}

/** The keys of a group: a member for each dimension, and one member `metadata` for all names of metadata. */
const keysView = (keys: ReadonlyArray<NamedKey>) => {
  const pairs = keys.flatMap(({ by, key }) => {
    const name = metadataName(by)
    return name === undefined ? [] : [[name, key] as const]
  })
  return {
    ...(Object.assign({}, ...keys.map(keyView)) as KeyView),
    ...(pairs.length === 0 ? {} : { metadata: Object.fromEntries(pairs) }),
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
  // Never happens: the bill of a workspace has both.
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
