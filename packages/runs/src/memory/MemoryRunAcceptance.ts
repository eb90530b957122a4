import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { sessionBegunBy } from "../NewRun.ts"
import { type AddedRun, RunAcceptance } from "../ports/RunAcceptance.ts"
import type { Session } from "../Session.ts"
import { appendTo, runRows } from "./runRows.ts"

const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  const rows = yield* runRows
  const append = yield* appendTo
  const sessions = database.table<Session>("session")

  const add = Effect.fnUntraced(function* ({ beginsSession, events, run }: AddedRun) {
    if (beginsSession) yield* sessions.put(run.sessionId, sessionBegunBy(run))
    const position = (yield* rows.inSession(run.sessionId)).length + 1
    const row = { run, position, claimToken: null, leaseUntil: 0, lastSeq: 0 }
    yield* rows.put(run.id, yield* append(row, events))
  })

  return RunAcceptance.of({
    insert: (added) => Effect.forEach(added, add, { discard: true }),
    countQueued: (workspaceId, limit) =>
      Effect.map(rows.all, (all) =>
        Math.min(limit, all.filter(({ run }) => run.workspaceId === workspaceId && run.status === "queued").length)
      ),
    holdQueue: () => Effect.void
  })
})

/** Taking in runs over a `MemoryDatabase`. */
export const layerRunAcceptance: Layer.Layer<RunAcceptance, never, MemoryDatabase> = Layer.effect(RunAcceptance, make)
