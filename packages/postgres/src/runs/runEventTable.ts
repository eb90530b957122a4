import type { RunEvent } from "@agent-platform/runs"
import { integer, json, text, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

/** Events in the logs of runs. The table has one column more, for the workspace. */
export const runEventTable = makeTable<RunEvent>("run_event", {
  runId: uuid(),
  sessionId: uuid(),
  seq: integer(),
  type: text(),
  createdAt: timestamptz(),
  attempt: integer(),
  data: json()
})
