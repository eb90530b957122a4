import type { Session } from "@agent-platform/runs"
import { timestamptz, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

/** Sessions. The table has one column more, for how many runs have joined them. */
export const sessionTable = makeTable<Session>("session", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: uuid(),
  createdAt: timestamptz()
})
