/** Reads anew what a stream says has changed, without a request for each of its items. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

/** How long to wait after one reading before the next. */
const PAUSE_MILLIS = 500

/**
 * Gives a function that reads anew what has this key. Calls that come while it reads, or in the pause afterwards, lead to one more reading
 * together.
 */
export const useRefresh = (queryKey: QueryKey): (() => void) => {
  const queries = useQueryClient()
  // A reading that was asked for under one key may begin once the screen has come to another.
  const latestKey = useRef(queryKey)
  useEffect(() => {
    latestKey.current = queryKey
  })
  const isReading = useRef(false)
  const isAskedAgain = useRef(false)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  // StrictMode unmounts a component once and keeps its refs: without its timer, nothing else would end the pause.
  useEffect(
    () => () => {
      clearTimeout(pause.current)
      isReading.current = false
    },
    []
  )
  const refresh = async (): Promise<void> => {
    isAskedAgain.current = isReading.current
    if (isReading.current) return
    isReading.current = true
    const key = latestKey.current
    // Invalidating cancels a reading that is under way: a screen that waits for its first one would stay empty for longer.
    const underWay = queries.getQueryCache().findAll({ queryKey: key, fetchStatus: "fetching" })
    await Promise.allSettled(underWay.map(({ promise }) => promise))
    // A failure is the query's own.
    await queries.invalidateQueries({ queryKey: key }).catch(() => undefined)
    pause.current = setTimeout(() => {
      isReading.current = false
      if (isAskedAgain.current) void refresh()
    }, PAUSE_MILLIS)
  }
  return () => void refresh()
}
