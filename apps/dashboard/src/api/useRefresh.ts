/** Reads anew what a stream says has changed, without a request for each of its items. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

/** How long to wait after one reading before the next. */
const PAUSE_MILLIS = 500

/** Reads what has this key anew: at once, and once more after all that it is asked to while that takes. */
export const useRefresh = (queryKey: QueryKey): (() => void) => {
  const queries = useQueryClient()
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
    // A failure is the query's own.
    await queries.invalidateQueries({ queryKey }).catch(() => undefined)
    pause.current = setTimeout(() => {
      isReading.current = false
      if (isAsked.current) void refresh()
    }, PAUSE_MILLIS)
  }
  return () => void refresh()
}
