import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { RunFeed, RunFeedPosition } from "../ports/RunFeed.ts"
import { LAST_CHANGE, RUN_CHANGES, runRows } from "./runRows.ts"

/** The runs of a `MemoryDatabase`, whose transactions run one after another: changes are numbered in their order. */
export const layerRunFeed = layerMemory(RunFeed)((database) => {
  const changes = database.table<number>(RUN_CHANGES)
  const rows = runRows(database)
  const at = (count: number) => RunFeedPosition.make(String(count))
  const last = Effect.map(changes.get(LAST_CHANGE), (count) => count ?? 0)
  return {
    end: Effect.map(last, at),
    hasReached: (place) => Effect.map(last, (count) => /^(?:0|[1-9]\d{0,14})$/.test(place) && Number(place) <= count),
    read: Effect.fnUntraced(function* ({ after, limit, upTo, workspaces }) {
      const found = []
      for (const { run } of yield* rows.all) {
        const place = (yield* changes.get(run.id)) ?? 0
        if (workspaces.includes(run.workspaceId) && place > Number(after) && place <= Number(upTo)) {
          found.push({ run, place })
        }
      }
      const page = found.sort((one, two) => one.place - two.place).slice(0, limit)
      const end = page.at(-1)
      return {
        changes: page.map(({ place, run }) => ({ run, position: at(place) })),
        next: page.length === found.length || end === undefined ? upTo : at(end.place)
      }
    })
  }
})
