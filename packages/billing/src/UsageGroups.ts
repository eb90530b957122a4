/** Grouping of usage by facts that calls have in common. */
import { BigDecimal } from "effect"
import { joinByKey } from "./joinByKey.ts"
import { addOutcomes, addPaid, NO_PAID_USAGE, type OutcomeCounts, type PaidUsage } from "./UsageCells.ts"

/** Facts that roll-ups know of a call. */
export const CELL_DIMENSIONS = ["model", "provider", "agent_id", "key_source", "workspace_id"] as const
export type CellDimension = (typeof CELL_DIMENSIONS)[number]

/** Facts that only the run of a call knows: its tags, one by one, and the value under a name in its metadata. */
export type RunDimension = "tag" | `metadata.${string}`

export type UsageDimension = CellDimension | RunDimension

/** Most dimensions of one reading. */
export const DIMENSIONS_MAX = 2

/** Most groups of an answer, those that cost most; the rest is added up in one more. */
export const GROUPS_MAX = 1_000

/** Most requests in the span of a reading by tags or metadata, which goes through each of them. */
export const LABELLED_REQUESTS_MAX = 250_000

export const isCellDimension = (dimension: UsageDimension): dimension is CellDimension =>
  (CELL_DIMENSIONS as ReadonlyArray<string>).includes(dimension)

/** The name of a pair of metadata; undefined for any other dimension. */
export const metadataName = (dimension: UsageDimension): string | undefined =>
  dimension.startsWith("metadata.") ? dimension.slice("metadata.".length) : undefined

/** The identity of a group. */
export interface GroupKey {
  /** A value for each dimension, in their order; null where the calls have none, such as a run without tags. */
  readonly keys: ReadonlyArray<string | null>
  /** Whether it is the sum of all groups beyond `GROUPS_MAX`. Its keys are null then. */
  readonly isOther: boolean
}

/** The usage of a group. */
export interface GroupedUsage extends GroupKey {
  readonly usage: PaidUsage
  /** The runs that ended. Null unless all dimensions are agents and workspaces: a run may have several of the others. */
  readonly runs: OutcomeCounts | null
}

/** Whether runs can be grouped by these dimensions as well. */
export const canGroupRuns = (dimensions: ReadonlyArray<UsageDimension>): boolean =>
  dimensions.every((dimension) => dimension === "agent_id" || dimension === "workspace_id")

/** A text that is the same for groups with the same keys. */
export const groupKey = ({ isOther, keys }: GroupKey): string => JSON.stringify([isOther, keys])

const usdOf = ({ usage }: GroupedUsage) => BigDecimal.fromStringUnsafe(usage.costUsd)

/** The sum of two groups, under the keys of the second. */
export const addGroups = (one: GroupedUsage | undefined, other: GroupedUsage): GroupedUsage => ({
  ...other,
  usage: addPaid(one?.usage ?? NO_PAID_USAGE, other.usage),
  runs: one?.runs && other.runs ? addOutcomes(one.runs, other.runs) : other.runs
})

/** Orders groups: the highest cost first, by their keys where they cost the same, and the rest last. */
export const dearestFirst = (one: GroupedUsage, other: GroupedUsage): number => {
  if (one.isOther !== other.isOther) return one.isOther ? 1 : -1
  return BigDecimal.Order(usdOf(other), usdOf(one)) || (groupKey(one) < groupKey(other) ? -1 : 1)
}

/** The `max` groups that cost most, and the sum of the rest. */
export const dearestOf = (groups: ReadonlyArray<GroupedUsage>, max = GROUPS_MAX): ReadonlyArray<GroupedUsage> =>
  joinByKey(
    groups
      .toSorted(dearestFirst)
      .map((group, place) => (place < max ? group : { ...group, keys: group.keys.map(() => null), isOther: true })),
    groupKey,
    addGroups
  )
