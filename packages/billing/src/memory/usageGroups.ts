/** Rows of roll-ups and calls added up by groups, in memory. */
import { joinByKey } from "../joinByKey.ts"
import type { KeySource } from "../LedgerEntry.ts"
import type { UsageFilter } from "../ports/UsageReadings.ts"
import { NO_OUTCOMES, NO_PAID_USAGE, type OutcomeCounts, type PaidUsage, type UsageSums } from "../UsageCells.ts"
import { addGroups, type CellDimension, type GroupedUsage, groupKey } from "../UsageGroups.ts"

/** The facts of a call or a run by which readings group and filter. Runs have no model. */
export interface Facts {
  readonly workspaceId: string
  readonly agentId: string
  readonly model?: string
  readonly provider?: string
  readonly keySource?: KeySource
}

/** Whether a reading includes this call or run. Models and providers filter no runs. */
export const isMeant = (one: Facts, workspaceIds: ReadonlyArray<string>, filter: UsageFilter): boolean =>
  workspaceIds.includes(one.workspaceId) &&
  (filter.agentId === undefined || one.agentId === filter.agentId) &&
  (one.model === undefined || filter.model === undefined || one.model === filter.model) &&
  (one.provider === undefined || filter.provider === undefined || one.provider === filter.provider)

/** The value of a dimension. */
export const keyBy = (one: Facts, dimension: CellDimension): string | null => {
  const values = {
    model: one.model,
    provider: one.provider,
    agent_id: one.agentId,
    key_source: one.keySource,
    workspace_id: one.workspaceId
  }
  return values[dimension] ?? null
}

/** Sums that one kind of key paid for, with their cost under that kind. */
export const paidBy = (sums: UsageSums, keySource: KeySource): PaidUsage => ({
  ...sums,
  byokCostUsd: keySource === "byok" ? sums.costUsd : NO_PAID_USAGE.byokCostUsd,
  platformCostUsd: keySource === "platform" ? sums.costUsd : NO_PAID_USAGE.platformCostUsd
})

/** One row as a group of its own. */
export const groupOf = (
  keys: ReadonlyArray<string | null>,
  usage: PaidUsage = NO_PAID_USAGE,
  runs: OutcomeCounts | null = NO_OUTCOMES
): GroupedUsage => ({ keys, isOther: false, usage, runs })

/** Groups of the same keys, added up. */
export const addUp = (groups: ReadonlyArray<GroupedUsage>): ReadonlyArray<GroupedUsage> =>
  joinByKey(groups, groupKey, addGroups)
