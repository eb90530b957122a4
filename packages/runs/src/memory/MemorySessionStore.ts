import { toPage } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { SessionStore } from "../ports/SessionStore.ts"
import { matchesFilter, newestFirst } from "../RunList.ts"
import type { SessionId } from "../Session.ts"
import { beginningOf, toBeginningPage } from "../SessionList.ts"
import { messagesOf } from "../SessionMessage.ts"
import type { SessionRow } from "./MemoryRunEraser.ts"
import { runRows } from "./runRows.ts"

/** Whether it is the workspace's, and is not being erased. */
const isOf = (workspaceId: string, session: SessionRow | undefined): boolean =>
  session?.workspaceId === workspaceId && session.closed === undefined

/** Sessions over a `MemoryDatabase`. */
export const layerSessionStore: Layer.Layer<SessionStore, never, MemoryDatabase> = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const rows = runRows(database)
    const sessions = database.table<SessionRow>("session")
    const find = (workspaceId: string, id: SessionId) =>
      Effect.map(sessions.get(id), (session) => (isOf(workspaceId, session) ? session : undefined))
    return SessionStore.of({
      find,
      // Transactions in memory run one after another, so nothing has to be locked.
      hold: find,
      messages: (id, { before, limit }) =>
        Effect.map(rows.inSession(id), (found) => {
          const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before)
          const said = found
            .flatMap(({ position, run }) => messagesOf(run, position))
            .filter(({ place }) => place < end)
            .reverse()
          return toPage(said.slice(0, limit + 1), limit, ({ place }) => String(place))
        }),
      beginnings: (workspaceId, filter, { before, limit }) =>
        Effect.map(rows.all, (all) => {
          const first = all
            .filter(
              ({ position, run }) => position === 1 && run.workspaceId === workspaceId && matchesFilter(run, filter)
            )
            .map(({ run }) => run)
            .filter((run) => before === undefined || newestFirst(before, run) < 0)
            .sort(newestFirst)
          return toBeginningPage(first.slice(0, limit + 1).map(beginningOf), limit)
        })
    })
  })
)
