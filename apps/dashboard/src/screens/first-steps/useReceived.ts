import { useEffect, useState } from "react"
import { useSession } from "../../session/SessionContext.tsx"

/** A webhook as the listener of `npm start` has received it. */
export interface Received {
  readonly id: string
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How many are shown. */
const SHOWN = 5

/** Whether its event is of this workspace, or names none that exists: those of the organization and tests. */
export const concerns = ({ body }: Pick<Received, "body">, workspaceId: string | undefined): boolean => {
  try {
    const { data } = JSON.parse(body)
    return data.test === true || data.workspace_id === undefined || data.workspace_id === workspaceId
  } catch {
    // The listener keeps whatever it is sent.
    return true
  }
}

/** Follows the listener while the component is there: the newest first. The browser itself connects again. */
export const useReceived = (receivedUrl: string): ReadonlyArray<Received> => {
  const workspaceId = useSession().workspace?.id
  const [received, setReceived] = useState<ReadonlyArray<Received>>([])
  useEffect(() => {
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
