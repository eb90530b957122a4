import { ActivityId, type ActivityRecord, parseId } from "@agent-platform/kernel"
import { feedTables, layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { ActivityHistory, ActivityPlace, ActivityWatermark } from "../ports/ActivityHistory.ts"

/**
 * The activity of a `MemoryDatabase`, whose transactions run one after another: entries are in the order in which they were
 * committed. A place is the id of the entry before it, a watermark the last entry of all and the time when it was taken.
 */
export const layerActivityHistory = layerMemory(ActivityHistory)((database) => {
  const { activity, tally } = feedTables(database)
  /** The entries up to an entry, and those behind it; by the ids where the entry is gone. */
  const divide = (entries: ReadonlyArray<ActivityRecord>, last: string) => {
    const index = entries.findIndex(({ id }) => id === last)
    return index === -1
      ? { upTo: entries.filter(({ id }) => id <= last), behind: entries.filter(({ id }) => id > last) }
      : { upTo: entries.slice(0, index + 1), behind: entries.slice(index + 1) }
  }

  return {
    watermark: Effect.map(Effect.all([DateTime.now, activity.all]), ([now, all]) =>
      ActivityWatermark.make(`${DateTime.formatIso(now)} ${all.at(-1)?.id ?? ""}`)
    ),
    read: Effect.fnUntraced(function* ({ after, before, limit, organizationId }) {
      const [taken = "", newest = ""] = before.split(" ")
      const time = DateTime.makeUnsafe(taken)
      const openTallies = (yield* tally.all).filter(({ until }) => DateTime.isGreaterThan(until, time))
      const settled = divide(yield* activity.all, newest).upTo
      const behind = after === undefined ? settled : divide(settled, after).behind
      const rest = behind.filter((entry) => entry.organizationId === organizationId).slice(0, limit)
      const firstOpen = rest.findIndex(({ id }) => openTallies.some((one) => one.id === id))
      const entries = firstOpen === -1 ? rest : rest.slice(0, firstOpen)
      const last = entries.at(-1)
      return {
        entries,
        end: last === undefined ? after : ActivityPlace.make(last.id),
        more: entries.length === limit
      }
    }),
    hasReached: (organizationId, place) =>
      Effect.map(activity.get(place), (entry) =>
        entry === undefined ? parseId(ActivityId, place) !== undefined : entry.organizationId === organizationId
      ),
    find: (organizationId, ids) =>
      Effect.map(activity.all, (all) =>
        all.filter((entry) => entry.organizationId === organizationId && ids.includes(entry.id))
      )
  }
})
