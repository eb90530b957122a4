import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { sessionBegunBy } from "../NewRun.ts"
import { type AddedRun, RunAcceptance } from "../ports/RunAcceptance.ts"
import type { Session } from "../Session.ts"
import { appendTo, runRows } from "./runRows.ts"

/** Taking in runs over a `MemoryDatabase`. */
export const layerRunAcceptance = layerMemory(RunAcceptance)((database) => {
  const rows = runRows(database)
  const append = appendTo(database)
  const sessions = database.table<Session>("session")

  const add = Effect.fnUntraced(function* ({ beginsSession, events, run }: AddedRun) {
    if (beginsSession) yield* sessions.put(run.sessionId, sessionBegunBy(run))
    const position = (yield* rows.inSession(run.sessionId)).length + 1
    const row = { run, position, claimToken: null, leaseUntil: 0, lastSeq: 0 }
    yield* rows.put(run.id, yield* append(row, events))
  })

  return {
    insert: (added) => Effect.forEach(added, add, { discard: true }),
    countQueued: (workspaceId, limit) =>
      Effect.map(rows.all, (all) =>
        Math.min(limit, all.filter(({ run }) => run.workspaceId === workspaceId && run.status === "queued").length)
      ),
    // Transactions over memory come one after another.
    holdQueue: () => Effect.void
  }
})
