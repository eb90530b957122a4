import type { Run } from "@agent-platform/client"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { mergeRuns, type RunFilters, runsQuery } from "../../api/runs.ts"
import { type StreamState, useStream } from "../../api/useStream.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { stateOf } from "./filters.ts"

interface LiveRuns {
  readonly state: StreamState
  /** How many runs have come that the list does not show yet. */
  readonly newer: number
  /** Shows them. */
  readonly showNewer: () => void
}

const fits = (filters: RunFilters, run: Run): boolean =>
  (filters.status === undefined || filters.status === stateOf(run)) &&
  (filters.agent_id === undefined || filters.agent_id === run.agent_id) &&
  (filters.session_id === undefined || filters.session_id === run.session_id) &&
  (filters.tag === undefined || run.tags.includes(filters.tag))

/**
 * Keeps the list's runs up to date. New ones are counted, and come when they are asked for: no row moves under the pointer. `newestShown`
 * is the id of the list's first run.
 */
export const useLiveRuns = (filters: RunFilters, newestShown: string | undefined): LiveRuns => {
  const session = useSession()
  const queries = useQueryClient()
  const [newer, setNewer] = useState<ReadonlySet<string>>(new Set())
  const { queryKey } = runsQuery(session, filters)
  const state = useStream({
    key: JSON.stringify(filters),
    // By agent alone: a run that stops fitting the other filters has to change in the list, too. New ones are held to all of them below.
    open: (after, signal) =>
      session.client.followRuns({
        signal,
        query: { agent_id: filters.agent_id },
        ...(after === undefined ? {} : { after })
      }),
    placeOf: ({ position }) => position,
    onItems: (changes) => {
      const notListed = mergeRuns(
        queries,
        queryKey,
        changes.map(({ run }) => run)
      )
      // Ids sort by the time of creation. An older one than the newest shown is on a page that was not read yet.
      const come = notListed.filter((run) => fits(filters, run) && run.run_id > (newestShown ?? ""))
      if (come.length === 0) return
      // In an empty list there is nothing that could move.
      if (newestShown === undefined) void queries.invalidateQueries({ queryKey, exact: true })
      else setNewer((before) => new Set([...before, ...come.map(({ run_id }) => run_id)]))
    }
  })
  return {
    state,
    newer: newer.size,
    showNewer: () => {
      setNewer(new Set())
      void queries.resetQueries({ queryKey, exact: true })
    }
  }
}
