import { type ActivityId, canonicalJson, firstIdAt, type OrganizationId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { DateTime } from "effect"
import { type ExportedEntry, toExported } from "../ActivityExport.ts"
import { ActivityHistory } from "../ports/ActivityHistory.ts"

/** How exported entries compare with the stored ones. */
export interface Comparison {
  readonly same: number
  /** How many are not stored any more, and are older than entries are kept. */
  readonly forgotten: number
  /** Entries that are not stored any more, though they are young enough to be. */
  readonly erased: ReadonlyArray<ActivityId>
  /** Entries that are stored with other values of these members. */
  readonly differing: ReadonlyArray<{ readonly id: ActivityId; readonly members: ReadonlyArray<string> }>
}

const differingMembers = (exported: ExportedEntry, present: ExportedEntry): ReadonlyArray<string> =>
  (Object.keys(exported) as Array<keyof ExportedEntry>)
    .filter((name) => canonicalJson(exported[name]) !== canonicalJson(present[name]))
    .sort()

/** Compares exported entries with the present ones. Entries made before `keptSince` may have been forgotten by age. */
export const compareExported = useCase("feeds.compareExported")(function* (query: {
  readonly organizationId: OrganizationId
  readonly entries: ReadonlyArray<ExportedEntry>
  readonly keptSince: DateTime.Utc
}) {
  const history = yield* ActivityHistory
  const { entries, keptSince, organizationId } = query
  const found = yield* history.find(
    organizationId,
    entries.map(({ id }) => id)
  )
  const present = new Map(found.map((entry) => [entry.id, toExported(entry)]))
  const missing = entries.filter(({ id }) => !present.has(id))
  const firstKept = firstIdAt(keptSince)
  const erased = missing.filter(({ id }) => id >= firstKept).map(({ id }) => id)
  const differing = entries.flatMap((entry) => {
    const stored = present.get(entry.id)
    const members = stored === undefined ? [] : differingMembers(entry, stored)
    return members.length === 0 ? [] : [{ id: entry.id, members }]
  })
  const comparison: Comparison = {
    same: entries.length - missing.length - differing.length,
    forgotten: missing.length - erased.length,
    erased,
    differing
  }
  return comparison
})
