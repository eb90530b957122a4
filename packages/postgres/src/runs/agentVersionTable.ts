import type { AgentVersion } from "@agent-platform/runs"
import { boolean, integer, json, timestamptz, uuid } from "../columnTypes.ts"
import { makeTable } from "../table.ts"

/** Agents as they were from one change to the next. */
export const agentVersionTable = makeTable<AgentVersion>("agent_version", {
  organizationId: uuid(),
  workspaceId: uuid(),
  agentId: uuid(),
  version: integer(),
  isArchived: boolean(),
  settings: json(),
  createdAt: timestamptz()
})
