import { useEffect, useState } from "react"
import { useSession } from "../../session/SessionContext.tsx"
import { concerns, type Received } from "./Received.ts"

/** How many are shown. */
const SHOWN = 5

/** Follows the listener while the component is there: the newest first. The browser itself connects again. */
export const useReceived = (receivedUrl: string | undefined): ReadonlyArray<Received> => {
  const workspaceId = useSession().workspace?.id
  const [received, setReceived] = useState<ReadonlyArray<Received>>([])
  useEffect(() => {
    if (receivedUrl === undefined) return
    const source = new EventSource(receivedUrl)
    source.onmessage = ({ data, lastEventId: id }: MessageEvent<string>) => {
      const one: Received = { id, ...JSON.parse(data) }
      if (!concerns(one, workspaceId)) return
      // A connection that is made anew begins with all that is kept.
      setReceived((before) => [one, ...before.filter((other) => other.id !== id)].slice(0, SHOWN))
    }
    return () => source.close()
  }, [receivedUrl, workspaceId])
  return received
}
