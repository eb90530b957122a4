import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { RunFeed, RunFeedPosition } from "../ports/RunFeed.ts"
import { LAST_CHANGE, RUN_CHANGES, runRows } from "./runRows.ts"

/**
 * The runs of a `MemoryDatabase`, whose transactions run one after another: changes are numbered in their order, and a run has the
 * number of its last one alone. A position comes back from a follower, so it may be any text.
 */
export const layerRunFeed = layerMemory(RunFeed)((database) => {
  const changes = database.table<number>(RUN_CHANGES)
  const rows = runRows(database)
  const at = (count: number) => RunFeedPosition.make(String(count))
  const last = Effect.map(changes.get(LAST_CHANGE), (count) => count ?? 0)
  return {
    end: Effect.map(last, at),
    hasReached: (position) =>
      Effect.map(last, (count) => /^(?:0|[1-9]\d{0,14})$/.test(position) && Number(position) <= count),
    read: Effect.fnUntraced(function* ({ after, limit, upTo, workspaces }) {
      const found = []
      for (const { run } of yield* rows.all) {
        const position = (yield* changes.get(run.id)) ?? 0
        if (workspaces.includes(run.workspaceId) && position > Number(after) && position <= Number(upTo)) {
          found.push({ run, position })
        }
      }
      const page = found.sort((one, two) => one.position - two.position).slice(0, limit)
      const end = page.at(-1)
      return {
        changes: page.map(({ position, run }) => ({ run, position: at(position) })),
        next: page.length === found.length || end === undefined ? upTo : at(end.position)
      }
    })
  }
})
