/** Reads anew what a stream says has changed, without a request for each of its items. */
import { type QueryKey, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"

const PAUSE_MILLIS = 500

/** Reads what has this key anew: at once, and then as often as it is asked to, but twice a second at most. */
export const useRefresh = (queryKey: QueryKey): (() => void) => {
  const queries = useQueryClient()
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isAsked = useRef(false)
  useEffect(
    () => () => {
      clearTimeout(pause.current)
      pause.current = undefined
    },
    []
  )
  const refresh = () => {
    if (pause.current !== undefined) {
      isAsked.current = true
      return
    }
    void queries.invalidateQueries({ queryKey })
    pause.current = setTimeout(() => {
      pause.current = undefined
      if (!isAsked.current) return
      isAsked.current = false
      refresh()
    }, PAUSE_MILLIS)
  }
  return refresh
}
