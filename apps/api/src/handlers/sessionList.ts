import { parseId } from "@agent-platform/kernel"
import { AgentId, Runs, type SessionFilter, type SessionStatus } from "@agent-platform/runs"
import { type DateTime, Effect } from "effect"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { givenFilters } from "../givenFilters.ts"
import { sessionSummary } from "../views/sessionViews.ts"

const ROUTE = "GET /api/v1/sessions"

interface ListQuery {
  readonly status?: SessionStatus
  readonly agent_id?: string
  readonly since?: DateTime.Utc
  readonly until?: DateTime.Utc
  readonly q?: string
  readonly limit: number
  readonly cursor?: string
}

/** Makes the handler for lists of sessions. A malformed agent id finds no sessions, like an unknown one. */
export const makeSessionListHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const cursors = yield* makeCursors
  return Effect.fnUntraced(function* ({ query }: { readonly query: ListQuery }) {
    const caller = yield* workspaceCaller
    const scope = { route: ROUTE, owner: caller.workspaceId, filters: givenFilters(query) }
    const before = yield* cursors.read(scope, query.cursor)
    const agentId = query.agent_id === undefined ? undefined : parseId(AgentId, query.agent_id)
    if (query.agent_id !== undefined && agentId === undefined) return { items: [], nextCursor: null }
    const { q: search, since, status, until } = query
    const filter: SessionFilter = { agentId, search, since, status, until }
    const page = yield* runs.listSessions({ caller, filter, page: { limit: query.limit, before } })
    return { items: page.items.map(sessionSummary), nextCursor: cursors.write(scope, page.next) }
  })
})
