import { useQuery } from "@tanstack/react-query"
import { listenerQuery } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { type Listener, readTrial } from "../../session/startLink.ts"
import { storedKey } from "../../session/stored.ts"

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/** The listener of `npm start`. The start link tells it; without one the API does, to an organization key that is pasted on the same machine. */
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
