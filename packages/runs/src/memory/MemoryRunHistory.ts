import { firstIdAt } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect, Layer } from "effect"
import { RunHistory } from "../ports/RunHistory.ts"
import type { RunId } from "../Run.ts"
import type { Session } from "../Session.ts"
import { RUN_CONTENT } from "./MemoryRunContentStore.ts"
import { runRows } from "./runRows.ts"

/** Old runs over a `MemoryDatabase`. */
export const layerRunHistory: Layer.Layer<RunHistory, never, MemoryDatabase> = Layer.effect(
  RunHistory,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const rows = runRows(database)
    // The tables of what belongs to a run, under its id.
    const belongings = ["run_event", "run_checkpoint", RUN_CONTENT].map((name) => database.table<unknown>(name))
    const sessions = database.table<Session>("session")
    const triggered = (before: DateTime.Utc, after: RunId | undefined) =>
      Effect.map(rows.all, (all) =>
        all.map(({ run }) => run).filter((run) => run.id < firstIdAt(before) && (after === undefined || run.id > after))
      )
    return RunHistory.of({
      count: ({ after, before }) => Effect.map(triggered(before, after), (old) => old.length),
      forget: Effect.fnUntraced(function* ({ after, before, limit, workspaceId }) {
        const ids: Array<RunId> = []
        const meant = (yield* triggered(before, after)).filter(
          (run) => workspaceId === undefined || run.workspaceId === workspaceId
        )
        const old = meant.sort((one, two) => (one.id < two.id ? -1 : 1)).slice(0, limit)
        let [runs, forgotten, kept] = [0, 0, 0]
        for (const sessionId of new Set(old.map((run) => run.sessionId))) {
          const ofSession = (yield* rows.inSession(sessionId)).map(({ run }) => run)
          const isOver = ofSession.every(
            ({ finishedAt }) => finishedAt !== null && DateTime.isLessThan(finishedAt, before)
          )
          if (!isOver) {
            kept += old.filter((run) => run.sessionId === sessionId).length
            continue
          }
          for (const { id } of ofSession) for (const table of [...belongings, rows]) yield* table.remove(id)
          yield* sessions.remove(sessionId)
          runs += ofSession.length
          ids.push(...ofSession.map(({ id }) => id))
          forgotten++
        }
        return { ids, runs, sessions: forgotten, kept, last: old.at(-1)?.id }
      }),
      // A log is one value here, whose size is no matter.
      compress: () => Effect.succeed({ logs: 0, last: undefined })
    })
  })
)
