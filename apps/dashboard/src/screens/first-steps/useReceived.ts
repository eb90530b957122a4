import { useEffect, useState } from "react"

/** A webhook as the listener of `npm start` has received it. */
export interface Received {
  readonly id: string
  readonly received_at: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How many are shown. */
const SHOWN = 5

/** Follows the listener while the component is there: the newest first. The browser itself connects again. */
export const useReceived = (receivedUrl: string): ReadonlyArray<Received> => {
  const [received, setReceived] = useState<ReadonlyArray<Received>>([])
  useEffect(() => {
    const source = new EventSource(receivedUrl)
    source.onmessage = ({ data, lastEventId: id }: MessageEvent<string>) => {
      const one: Received = { id, ...JSON.parse(data) }
      // A connection that is made anew begins with all that is kept.
      setReceived((before) => [one, ...before.filter((other) => other.id !== id)].slice(0, SHOWN))
    }
    return () => source.close()
  }, [receivedUrl])
  return received
}
