import type { Run } from "@agent-platform/client"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { mergeRuns, type RunFilters, runsQuery } from "../../api/runs.ts"
import { useIsQuiet } from "../../api/useIsQuiet.ts"
import { useRefresh } from "../../api/useRefresh.ts"
import { type StreamState, useStream } from "../../api/useStream.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { hasStatus } from "./filters.ts"

interface LiveRuns {
  readonly state: StreamState
  /** How many runs have come that the list does not show yet. */
  readonly newer: number
  /** Shows them. */
  readonly showNewer: () => void
}

const NONE: ReadonlySet<string> = new Set()

const fits = (filters: RunFilters, run: Run): boolean =>
  (filters.status === undefined || hasStatus(run, filters.status)) &&
  (filters.agent_id === undefined || filters.agent_id === run.agent_id) &&
  (filters.session_id === undefined || filters.session_id === run.session_id) &&
  (filters.tag === undefined || run.tags.includes(filters.tag))

/**
 * Keeps the list's runs up to date. New ones are counted, and come when they are asked for: no row moves under the pointer. `newestShownId`
 * is that of the list's first run.
 */
export const useLiveRuns = (filters: RunFilters, newestShownId: string | undefined): LiveRuns => {
  const isQuiet = useIsQuiet()
  const session = useSession()
  const queries = useQueryClient()
  const key = JSON.stringify(filters)
  const [arrived, setArrived] = useState<{ readonly key: string; readonly ids: ReadonlySet<string> }>({
    key,
    ids: NONE
  })
  // Runs that arrived under other filters are not counted, nor those that the list shows since it was read anew.
  const newer = [...(arrived.key === key ? arrived.ids : NONE)].filter((id) => id > (newestShownId ?? ""))
  const { queryKey } = runsQuery(session, filters)
  const refresh = useRefresh(queryKey)
  const state = useStream({
    // It begins after the first rows, so that these do not wait for it. They are then read anew, by `onBegin`.
    key: isQuiet ? key : undefined,
    // Filtered by agent alone: a listed run has to change in the list also when it stops fitting another filter.
    open: (options) => session.client.followRuns({ ...options, query: { agent_id: filters.agent_id } }),
    placeOf: ({ position }) => position,
    onBegin: refresh,
    onItems: (changes) => {
      const notListed = mergeRuns(
        queries,
        queryKey,
        changes.map(({ run }) => run)
      )
      // Ids sort by the time of creation. An older one than the newest shown is on a page that was not read yet.
      const added = notListed.filter((run) => fits(filters, run) && run.run_id > (newestShownId ?? ""))
      if (added.length === 0) return
      // In an empty list there is nothing that could move.
      if (newestShownId === undefined) void queries.invalidateQueries({ queryKey, exact: true })
      else {
        const ids = added.map(({ run_id }) => run_id)
        setArrived((before) => ({ key, ids: new Set([...(before.key === key ? before.ids : NONE), ...ids]) }))
      }
    }
  })
  return {
    state,
    newer: newer.length,
    showNewer: () => {
      setArrived({ key, ids: NONE })
      void queries.resetQueries({ queryKey, exact: true })
    }
  }
}
