import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { runQuery } from "../../api/runs.ts"
import { type StreamState, useStream } from "../../api/useStream.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { type Block, changesRun, withEvents } from "./logBlocks.ts"

/** The log of a run as it comes, and the run read anew whenever its log says that it has changed. */
export const useRunLog = (runId: string): { readonly blocks: ReadonlyArray<Block>; readonly state: StreamState } => {
  const session = useSession()
  const queries = useQueryClient()
  const [blocks, setBlocks] = useState<ReadonlyArray<Block>>([])
  const state = useStream({
    key: runId,
    open: (after, signal) => session.client.followRun(runId, { signal, ...(after === undefined ? {} : { after }) }),
    placeOf: ({ seq }) => String(seq),
    onItems: (events) => {
      setBlocks((before) => withEvents(before, events))
      if (events.some(changesRun)) void queries.invalidateQueries({ queryKey: runQuery(session, runId).queryKey })
    }
  })
  return { blocks, state }
}
