/** Reads anew what a stream says has changed, without a request for each of its items. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

/** How long to wait after one reading before the next. */
const PAUSE_MILLIS = 500

/**
 * Reads what has this key anew: at once, or once it has been read where that is under way, and once more after all that it is asked to while
 * that takes.
 */
export const useRefresh = (queryKey: QueryKey): (() => void) => {
  const queries = useQueryClient()
  // A reading that was asked for under one key may begin once the screen has come to another.
  const latestKey = useRef(queryKey)
  useEffect(() => {
    latestKey.current = queryKey
  })
  const isReading = useRef(false)
  const isAsked = useRef(false)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(pause.current)
      isReading.current = false
    },
    []
  )
  const refresh = async (): Promise<void> => {
    isAsked.current = isReading.current
    if (isReading.current) return
    isReading.current = true
    const key = latestKey.current
    // Taken back and begun anew, the first reading would keep a screen empty for longer.
    const underWay = queries.getQueryCache().findAll({ queryKey: key, fetchStatus: "fetching" })
    await Promise.allSettled(underWay.map(({ promise }) => promise))
    // A failure is the query's own.
    await queries.invalidateQueries({ queryKey: key }).catch(() => undefined)
    pause.current = setTimeout(() => {
      isReading.current = false
      if (isAsked.current) void refresh()
    }, PAUSE_MILLIS)
  }
  return () => void refresh()
}
