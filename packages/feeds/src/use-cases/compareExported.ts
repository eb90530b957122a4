import { type ActivityId, canonicalJson, firstIdAt, type OrganizationId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { DateTime } from "effect"
import { type ExportedEntry, toExported } from "../ActivityExport.ts"
import { ActivityHistory } from "../ports/ActivityHistory.ts"

/** How exported entries stand to those that are there. */
export interface Comparison {
  readonly same: number
  /** Not there, and older than entries are kept. */
  readonly forgotten: number
  /** Not there, and young enough to be. */
  readonly erased: ReadonlyArray<ActivityId>
  /** There with other members. */
  readonly differing: ReadonlyArray<{ readonly id: ActivityId; readonly members: ReadonlyArray<string> }>
}

const membersIn = (exported: ExportedEntry, present: ExportedEntry): ReadonlyArray<string> =>
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
  const gone = entries.filter(({ id }) => !present.has(id))
  const firstKept = firstIdAt(keptSince)
  const erased = gone.filter(({ id }) => id >= firstKept).map(({ id }) => id)
  const differing = entries.flatMap((entry) => {
    const one = present.get(entry.id)
    const members = one === undefined ? [] : membersIn(entry, one)
    return members.length === 0 ? [] : [{ id: entry.id, members }]
  })
  const comparison: Comparison = {
    same: entries.length - gone.length - differing.length,
    forgotten: gone.length - erased.length,
    erased,
    differing
  }
  return comparison
})
