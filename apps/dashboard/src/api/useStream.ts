/** Follows a stream for as long as a component is there and its tab is looked at. */
import { ApiProblem, type FollowOptions } from "@agent-platform/client"
import { useEffect, useEffectEvent, useState } from "react"

/** How a stream stands. */
export type StreamState =
  | { readonly is: "live" }
  /** The tab is hidden: nothing is asked of the server until it is looked at again. */
  | { readonly is: "resting" }
  /** The connection broke off; it is tried again. */
  | { readonly is: "lost" }
  | { readonly is: "ended" }
  | { readonly is: "refused"; readonly error: ApiProblem }

/** How long a hidden tab keeps its stream. */
const HIDDEN_MILLIS = 30_000

/** How long to wait once the client has given up on connecting, which it tries for half a minute. */
const AGAIN_MILLIS = 5_000

/** From this status on the server cannot answer now, and later it may. */
const AWAY_MIN = 500

interface StreamOptions<A> {
  /** Another key is another stream; undefined is none. */
  readonly key: string | undefined
  /** Opens it: after the place that was seen last, or from now on where there is none. */
  readonly open: (options: FollowOptions) => AsyncIterable<A>
  /** Called once a stream without an earlier place has begun. Changes between the last reading and then are in neither: read anew. */
  readonly onBegin?: () => void
  /** The place of an item, to go on after. */
  readonly placeOf: (item: A) => string
  /** How long a hidden tab keeps it; half a minute unless given. */
  readonly hiddenMillis?: number
  /** Takes what came in one frame of the screen, at least one item. */
  readonly onItems: (items: ReadonlyArray<A>) => void
}

const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis)
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener("abort", stop, { once: true })
  })

/** Follows the stream without a gap and without a repetition, over lost connections and hidden tabs. */
export const useStream = <A>({
  hiddenMillis = HIDDEN_MILLIS,
  key,
  onBegin,
  onItems,
  open,
  placeOf
}: StreamOptions<A>): StreamState => {
  const [state, setState] = useState<StreamState>({ is: "live" })
  // The latest of these functions each time that one is called: a new one alone opens no other stream.
  const takeItems = useEffectEvent(onItems)
  const openStream = useEffectEvent(open)
  const tellBegun = useEffectEvent(() => onBegin?.())
  const place = useEffectEvent(placeOf)
  useEffect(() => {
    if (key === undefined) return
    let after: string | undefined
    let waiting: Array<A> = []
    let frame = 0
    let connection: AbortController | undefined
    let hidden: ReturnType<typeof setTimeout> | undefined
    let isOver = false

    const flush = () => {
      frame = 0
      const items = waiting
      waiting = []
      if (items.length > 0) takeItems(items)
    }
    // If the connection breaks off before the first item, the stream goes on from here.
    const noteBeginning = (at: string) => {
      after = at
      tellBegun()
    }
    const follow = async (signal: AbortSignal) => {
      setState({ is: "live" })
      while (!signal.aborted) {
        try {
          for await (const item of openStream({
            signal,
            ...(after === undefined ? { onBegin: noteBeginning } : { after })
          })) {
            if (signal.aborted) return
            after = place(item)
            waiting.push(item)
            // A long log comes in thousands of events: one drawing takes all that came meanwhile.
            if (frame === 0) frame = requestAnimationFrame(flush)
            setState((is) => (is.is === "live" ? is : { is: "live" }))
          }
          isOver = true
          return setState({ is: "ended" })
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof ApiProblem && error.status < AWAY_MIN) {
            isOver = true
            return setState({ is: "refused", error })
          }
          setState({ is: "lost" })
          await pause(AGAIN_MILLIS, signal)
        }
      }
    }
    const start = () => {
      clearTimeout(hidden)
      if (connection !== undefined || isOver) return
      connection = new AbortController()
      void follow(connection.signal)
    }
    const rest = () => {
      if (isOver) return
      connection?.abort()
      connection = undefined
      setState({ is: "resting" })
    }
    const onVisibilityChange = () => {
      if (document.visibilityState === "visible") start()
      else hidden = setTimeout(rest, hiddenMillis)
    }
    start()
    document.addEventListener("visibilitychange", onVisibilityChange)
    return () => {
      document.removeEventListener("visibilitychange", onVisibilityChange)
      clearTimeout(hidden)
      cancelAnimationFrame(frame)
      connection?.abort()
    }
  }, [key, hiddenMillis])
  return state
}
