import { firstIdAt } from "@agent-platform/kernel"
import { feedTables, layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { isListed, newestFirst, toActivityPage } from "../Activity.ts"
import { ActivityFeed } from "../ports/ActivityFeed.ts"

/** The activity that the feed log of a `MemoryDatabase` holds. */
export const layerActivityFeed = layerMemory(ActivityFeed)((database) => {
  const { activity } = feedTables(database)
  return {
    list: (scope, filter, { before, limit }) =>
      Effect.map(activity.all, (all) => {
        const listed = all
          .filter((entry) => isListed(entry, scope, filter))
          .filter((entry) => before === undefined || newestFirst(before, entry) < 0)
        return toActivityPage(listed.sort(newestFirst).slice(0, limit + 1), limit)
      }),
    forget: Effect.fnUntraced(function* (before, max) {
      const bound = firstIdAt(before)
      const old = (yield* activity.all).filter(({ id }) => id < bound)
      const forgotten = old.sort((one, two) => (one.id < two.id ? -1 : 1)).slice(0, max)
      yield* Effect.forEach(forgotten, ({ id }) => activity.remove(id), { discard: true })
      return forgotten.length
    })
  }
})
