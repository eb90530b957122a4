import type { Schedule } from "@agent-platform/client"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect } from "react"
import { schedulesQuery } from "../../api/schedules.ts"
import { useSession } from "../../session/SessionContext.tsx"

const WAIT_MILLIS_MIN = 2_000
const WAIT_MILLIS_MAX = 60_000

/** The longest time that a browser's timer can wait. */
const TIMER_MILLIS_MAX = 2 ** 31 - 1

/**
 * How long to wait before the next look: until the time has come, and 2 s more, since its run is made a little later. After that as long as
 * the time has been past, up to a minute, so that looks get rarer.
 */
const waitFor = (due: number, now: number): number => {
  const overdue = Math.min(Math.max(now - due, WAIT_MILLIS_MIN), WAIT_MILLIS_MAX)
  return Math.min(Math.max(due - now, 0) + overdue, TIMER_MILLIS_MAX)
}

/** Reads the schedules anew once the earliest of their next times has passed. */
export const useDueRefresh = (schedules: ReadonlyArray<Schedule> | undefined): void => {
  const session = useSession()
  const queries = useQueryClient()
  const times = (schedules ?? []).flatMap(({ next_run_at }) => (next_run_at === null ? [] : Date.parse(next_run_at)))
  const due = times.length === 0 ? undefined : Math.min(...times)
  useEffect(() => {
    if (due === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      timer = setTimeout(
        () => {
          wait()
          void queries.invalidateQueries({ queryKey: schedulesQuery(session).queryKey })
        },
        waitFor(due, Date.now())
      )
    }
    wait()
    return () => clearTimeout(timer)
  }, [due, queries, session])
}
