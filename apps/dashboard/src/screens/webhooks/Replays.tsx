import type { Replay } from "@agent-platform/client"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { replaysQuery } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { count } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { exactTime } from "../../ui/Time.tsx"
import { ReplayState } from "./states.tsx"

const isUnderWay = ({ state }: Replay): boolean => state === "pending" || state === "running"

/** The part of its range that a replay has behind it, from 0 to 1. */
const partDone = ({ progressed_to, since, state, until }: Replay): number => {
  if (state === "completed") return 1
  if (progressed_to === null) return 0
  const whole = Date.parse(until) - Date.parse(since)
  return whole <= 0 ? 1 : Math.min(1, (Date.parse(progressed_to) - Date.parse(since)) / whole)
}

const ReplayLine = ({ replay }: { readonly replay: Replay }) => {
  const range = `${exactTime(replay.since)} – ${exactTime(replay.until)}`
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <ReplayState replay={replay} />
      <progress aria-label={`Replay of ${range}`} value={partDone(replay)} max={1} className="bar" />
      <span>{count(replay.replayed_count)} sent again</span>
      <span className="text-muted">{range}</span>
    </li>
  )
}

/** Reads deliveries anew whenever a replay has come further: they are due again, or sent. `progress` is any text that then changes. */
const useDeliveriesRefresh = (endpointId: string, progress: string | undefined): void => {
  const queries = useQueryClient()
  const before = useRef(progress)
  useEffect(() => {
    // The first progress that is known is no change.
    const isFurther = before.current !== undefined && before.current !== progress
    before.current = progress
    if (!isFurther) return
    void queries.invalidateQueries({ queryKey: ["webhooks", "deliveries", endpointId] })
    void queries.invalidateQueries({ queryKey: ["webhooks", "delivery", endpointId] })
  }, [endpointId, progress, queries])
}

/** The latest replays of ranges, and how far each has come. */
export const Replays = ({ endpointId }: { readonly endpointId: string }) => {
  const session = useSession()
  const { data, error } = useQuery({
    ...replaysQuery(session, endpointId),
    // Nothing streams it: it is read while one is under way, and not otherwise.
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? 1_000 : false)
  })
  const replays = data ?? []
  useDeliveriesRefresh(endpointId, data?.map(({ id, replayed_count, state }) => id + state + replayed_count).join())
  if (error !== null) return <ProblemNotice error={error} />
  if (replays.length === 0) return null
  return (
    <section aria-label="Replays" className="border-b border-line px-4 py-2">
      <ul className="grid gap-1">
        {replays.map((replay) => (
          <ReplayLine key={replay.id} replay={replay} />
        ))}
      </ul>
    </section>
  )
}
