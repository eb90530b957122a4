/** Reads runs and acts on them. */
import type { ListRunsRequest, ReplyToSessionRequest, Run, RunPage } from "@agent-platform/client"
import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The filters of the list; each is part of the address. */
export type RunFilters = Pick<NonNullable<ListRunsRequest["query"]>, "status" | "agent_id" | "tag" | "session_id">

/** The list of runs, newest first, page after page. */
export const runsQuery = ({ client }: Session, filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: ["runs", "list", filters],
    queryFn: ({ pageParam, signal }) =>
      client.runs.listRuns({ query: { ...filters, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })

/** The newest runs of the workspace. */
export const recentRunsQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ["runs", "recent"],
    queryFn: async ({ signal }) => (await client.runs.listRuns({ query: { limit: PAGE_SIZE }, signal })).items
  })

/** The runs of all lists that are in the page. */
export const listedRuns = (queries: QueryClient): ReadonlyArray<Run> =>
  queries
    .getQueriesData<InfiniteData<RunPage>>({ queryKey: ["runs", "list"] })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])

/** A run as it is now. */
export const runQuery = ({ client }: Session, runId: string) =>
  queryOptions({
    queryKey: ["runs", "one", runId],
    queryFn: ({ signal }) => client.runs.getRun({ params: { run_id: runId }, signal })
  })

/** The cost of a run, by provider and model. */
export const runCostsQuery = ({ client }: Session, runId: string) =>
  queryOptions({
    queryKey: ["runs", "one", runId, "costs"],
    queryFn: ({ signal }) => client.analytics.readRunCosts({ params: { run_id: runId }, signal })
  })

/** Puts the present state of runs into a list in the cache. Answers those of `changed` that the list does not hold. */
export const mergeRuns = (
  queries: QueryClient,
  key: ReturnType<typeof runsQuery>["queryKey"],
  changed: ReadonlyArray<Run>
): ReadonlyArray<Run> => {
  const byId = new Map(changed.map((run) => [run.run_id, run]))
  const known = new Set<string>()
  queries.setQueryData(key, (data: InfiniteData<RunPage> | undefined) => {
    if (data === undefined) return data
    const pages = data.pages.map((page) => ({
      ...page,
      items: page.items.map((run) => {
        const latest = byId.get(run.run_id)
        if (latest === undefined) return run
        known.add(run.run_id)
        return latest
      })
    }))
    return { ...data, pages }
  })
  return changed.filter(({ run_id }) => !known.has(run_id))
}

/** Ends all that a session has under way. */
export const cancelSession = ({ client }: Session, sessionId: string, mode: "graceful" | "immediate") =>
  client.sessions.cancelSession({ params: { session_id: sessionId }, body: { mode } })

/** Answers the open question of a session. */
export const replyToSession = (
  { client }: Session,
  sessionId: string,
  body: NonNullable<ReplyToSessionRequest["body"]>
) => client.sessions.replyToSession({ params: { session_id: sessionId }, body })
