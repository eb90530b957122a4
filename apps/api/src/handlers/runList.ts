/** The list of runs. Spec: Run list. */
import { parseId } from "@agent-platform/kernel"
import { AgentId, type Run, type RunFilter, type RunStatus, Runs, SessionId } from "@agent-platform/runs"
import { type DateTime, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { givenFilters } from "../givenFilters.ts"
import { callerViews } from "../views/callerViews.ts"

const ROUTE = "GET /api/v1/runs/"

interface ListQuery {
  readonly status?: RunStatus | "paused"
  readonly agent_id?: string
  readonly session_id?: string
  readonly tag?: string
  readonly since?: DateTime.Utc
  readonly until?: DateTime.Utc
  readonly q?: string
  readonly limit: number
  readonly cursor?: string
}

/** The part of a filter for a status. `paused` selects runs whose question waits for an answer. */
export const statusFilter = (status: RunStatus | "paused" | undefined): Pick<RunFilter, "isWaiting" | "status"> =>
  status === "paused" ? { isWaiting: true } : { status }

const answer = Effect.fnUntraced(function* (items: ReadonlyArray<Run>, nextCursor: string | null) {
  const views = yield* callerViews
  return HttpServerResponse.jsonUnsafe({ items: items.map(views.run), next_cursor: nextCursor })
})

/** Makes the handler for lists of runs. A malformed id finds no runs, like an unknown one. */
export const makeRunListHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const cursors = yield* makeCursors
  return Effect.fnUntraced(function* ({ query }: { readonly query: ListQuery }) {
    const caller = yield* workspaceCaller
    const scope = { route: ROUTE, owner: caller.workspaceId, filters: givenFilters(query) }
    const before = yield* cursors.read(scope, query.cursor)
    const agentId = query.agent_id === undefined ? undefined : parseId(AgentId, query.agent_id)
    const sessionId = query.session_id === undefined ? undefined : parseId(SessionId, query.session_id)
    const findsNothing = (query.agent_id && agentId === undefined) || (query.session_id && sessionId === undefined)
    if (findsNothing) return yield* answer([], null)
    const { q: search, since, status, tag, until } = query
    const filter = { agentId, search, sessionId, since, tag, until, ...statusFilter(status) }
    const page = yield* runs.listRuns({ caller, filter, page: { limit: query.limit, before } })
    return yield* answer(page.items, cursors.write(scope, page.next))
  })
})
