import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { RunLog } from "../ports/RunLog.ts"
import { isTerminal } from "../Run.ts"
import { LOG_PAGE_BYTES, type RunEvent } from "../RunEvent.ts"
import { jsonBytes } from "../utf8.ts"
import { appendTo, runRows } from "./runRows.ts"

/** The first of these events, up to the one with which their data comes to the bytes of a page. */
const withinPage = (events: ReadonlyArray<RunEvent>): ReadonlyArray<RunEvent> => {
  let bytes = 0
  const firstBeyond = events.findIndex(({ data }) => {
    if (bytes >= LOG_PAGE_BYTES) return true
    bytes += jsonBytes(data)
    return false
  })
  return firstBeyond === -1 ? events : events.slice(0, firstBeyond)
}

/** Logs of runs over a `MemoryDatabase`, fenced by the claims of their runs. */
export const layerRunLog = layerMemory(RunLog)((database) => {
  const rows = runRows(database)
  const append = appendTo(database)
  const events = database.table<ReadonlyArray<RunEvent>>("run_event")
  return {
    append: Effect.fnUntraced(function* (entries) {
      for (const entry of entries) {
        const row = yield* rows.get(entry.runId)
        if (row === undefined || row.claimToken !== entry.claimToken || isTerminal(row.run)) continue
        yield* rows.put(entry.runId, yield* append(row, entry.events))
      }
    }),
    read: (runId, { after, limit }) =>
      Effect.map(events.get(runId), (found) =>
        withinPage((found ?? []).filter(({ seq }) => seq > after).slice(0, limit))
      ),
    bytes: (runId) =>
      Effect.map(events.get(runId), (found) => (found ?? []).reduce((sum, { data }) => sum + jsonBytes(data), 0)),
    lastSeq: (runId) => Effect.map(rows.get(runId), (row) => row?.lastSeq ?? 0)
  }
})
