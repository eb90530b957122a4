import { useQuery } from "@tanstack/react-query"
import { listenerQuery } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { type Listener, readTrial } from "../../session/startLink.ts"
import { storedKey } from "../../session/stored.ts"

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/** The listener of `npm start`: told by its link, or else by the API to who has pasted a key of the organization on that machine. */
export const useListener = (): Listener | undefined => {
  const session = useSession()
  const trial = readTrial()
  const key = storedKey.read()
  const { data } = useQuery({
    ...listenerQuery(key),
    enabled:
      trial === undefined && key !== undefined && session.can("webhooks:write") && LOOPBACK.test(location.hostname)
  })
  return trial ?? data ?? undefined
}
