import { sessionQuery } from "../../api/sessions.ts"
import { useRefresh } from "../../api/useRefresh.ts"
import { type StreamState, useStream } from "../../api/useStream.ts"
import { useSession } from "../../session/SessionContext.tsx"

/** Reads a session and its messages anew where the stream of runs begins, and whenever one of its runs changes. */
export const useLiveSession = (sessionId: string): StreamState => {
  const session = useSession()
  const refresh = useRefresh(sessionQuery(session, sessionId).queryKey)
  return useStream({
    key: sessionId,
    open: session.client.followRuns,
    placeOf: ({ position }) => position,
    onBegin: refresh,
    onItems: (changes) => {
      if (changes.some(({ run }) => run.session_id === sessionId)) refresh()
    }
  })
}
