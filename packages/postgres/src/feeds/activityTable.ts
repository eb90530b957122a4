import type { ActivityRecord } from "@agent-platform/kernel"
import { nullable, plainJson, text, timestamptz, uuid } from "../columnTypes.ts"
import { group, makeTable, uuidOrWord } from "../table.ts"

/** Activity. The table has more columns, for tallies and for the order of transactions. */
export const activityTable = makeTable<ActivityRecord>("activity", {
  id: uuid(),
  organizationId: uuid(),
  workspaceId: nullable(uuid()),
  action: text(),
  actor: group("actor_", { type: text(), id: uuidOrWord("actor_id", "actor_word"), label: text() }),
  summary: text(),
  resourceType: text(),
  resourceId: uuidOrWord("resource_id", "resource_word"),
  payload: plainJson(),
  createdAt: timestamptz()
})

/**
 * The lock that transactions share until their commit when they tally. Where it is granted exclusively, no tally of an earlier minute
 * changes any more.
 */
export const TALLY_LOCK = "hashtextextended('agent_platform.activity_tally', 0)"
