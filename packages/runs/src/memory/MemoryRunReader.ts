import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { RunReader } from "../ports/RunReader.ts"
import { isTerminal } from "../Run.ts"
import { matchesFilter, newestFirst, openingOf, toRunPage } from "../RunList.ts"
import { heldOf, runRows } from "./runRows.ts"

/** Finding runs over a `MemoryDatabase`. */
export const layerRunReader = layerMemory(RunReader)((database) => {
  const rows = runRows(database)
  const list: RunReader["Service"]["list"] = (workspaceId, filter, { before, limit }) =>
    Effect.map(rows.all, (all) => {
      const meant = all
        .map(({ run }) => run)
        .filter((run) => run.workspaceId === workspaceId && matchesFilter(run, filter))
        .filter((run) => before === undefined || newestFirst(before, run) < 0)
      return toRunPage(meant.sort(newestFirst).slice(0, limit + 1), limit)
    })
  return {
    find: (workspaceId, id) =>
      Effect.map(rows.get(id), (row) => (row?.run.workspaceId === workspaceId ? row.run : undefined)),
    findHeld: (id) => Effect.map(rows.get(id), (row) => row && heldOf(row)),
    list,
    openings: (workspaceId, filter, page) =>
      Effect.map(list(workspaceId, filter, page), ({ items, next }) => ({
        items: items.map(({ createdAt, id, prompt, sessionId }) => ({
          createdAt,
          id,
          sessionId,
          opening: openingOf(prompt)
        })),
        next
      })),
    unfinishedAmong: (ids) =>
      Effect.map(
        Effect.forEach(ids, (id) => rows.get(id)),
        (found) => new Set(found.flatMap((row) => (row === undefined || isTerminal(row.run) ? [] : [row.run.id])))
      )
  }
})
