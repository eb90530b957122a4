import { sessionQuery } from "../../api/sessions.ts"
import { useRefresh } from "../../api/useRefresh.ts"
import { type StreamState, useStream } from "../../api/useStream.ts"
import { useSession } from "../../session/SessionContext.tsx"

/** Reads a session and its messages anew whenever one of its runs changes. */
export const useLiveSession = (sessionId: string): StreamState => {
  const session = useSession()
  const refresh = useRefresh(sessionQuery(session, sessionId).queryKey)
  return useStream({
    key: sessionId,
    open: (after, signal) => session.client.followRuns({ signal, ...(after === undefined ? {} : { after }) }),
    placeOf: ({ position }) => position,
    onItems: (changes) => {
      if (changes.some(({ run }) => run.session_id === sessionId)) refresh()
    }
  })
}
