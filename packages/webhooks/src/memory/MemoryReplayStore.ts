import { toPage } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { isFinished, type Replay } from "../Replay.ts"

/** Replays over a `MemoryDatabase`. */
export const layerReplayStore = layerMemory(ReplayStore)((database) => {
  const replays = database.table<Replay>("webhook_replay")
  const find: ReplayStore["Service"]["find"] = (organizationId, id) =>
    Effect.map(replays.get(id), (row) => (row?.organizationId === organizationId ? row : undefined))
  return {
    insert: (replay) => replays.put(replay.id, replay),
    find,
    list: (of, { before, limit }) =>
      Effect.map(replays.all, (rows) => {
        const listed = rows
          .filter((row) =>
            "endpointId" in of ? row.endpointId === of.endpointId : row.organizationId === of.organizationId
          )
          .filter((row) => before === undefined || row.id < before)
          .sort((a, b) => (a.id < b.id ? 1 : -1))
        return toPage(listed.slice(0, limit + 1), limit, (row) => row.id)
      }),
    findToChange: find,
    replace: (replay) => replays.put(replay.id, replay),
    prune: Effect.fnUntraced(function* (before, limit) {
      const old = (yield* replays.all)
        .filter(({ finishedAt }) => finishedAt !== null && DateTime.isLessThan(finishedAt, before))
        .slice(0, limit)
      yield* Effect.forEach(old, ({ id }) => replays.remove(id), { discard: true })
      return old.length
    }),
    unfinished: (after, limit) =>
      Effect.map(replays.all, (rows) =>
        rows
          .filter((row) => (after === undefined || row.id > after) && !isFinished(row))
          .sort((one, two) => (one.id < two.id ? -1 : 1))
          .slice(0, limit)
      ),
    countUnfinished: (endpointId) =>
      Effect.map(replays.all, (rows) => rows.filter((row) => row.endpointId === endpointId && !isFinished(row)).length)
  }
})
