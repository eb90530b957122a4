import { useState } from "react"
import { runQuery } from "../../api/runs.ts"
import { useRefresh } from "../../api/useRefresh.ts"
import { type StreamState, useStream } from "../../api/useStream.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { type Block, changesRun, EMPTY_LOG, withEvents } from "./logBlocks.ts"

/** The log of a run as it comes, and the run read anew whenever its log says that it has changed. */
export const useRunLog = (runId: string): { readonly blocks: ReadonlyArray<Block>; readonly state: StreamState } => {
  const session = useSession()
  const refresh = useRefresh(runQuery(session, runId).queryKey)
  const [{ blocks }, setLog] = useState(EMPTY_LOG)
  const state = useStream({
    key: runId,
    open: (options) => session.client.followRun(runId, options),
    placeOf: ({ seq }) => String(seq),
    onItems: (events) => {
      setLog((before) => withEvents(before, events))
      if (events.some(changesRun)) refresh()
    }
  })
  return { blocks, state }
}
