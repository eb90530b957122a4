import type { ActivityId, ActivityRecord, Actor } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import { readTimestamp, texts, timestamps, uuids } from "../columns.ts"

/** A row of `activity`. */
export interface ActivityRow extends Pick<ActivityRecord, "action" | "summary" | "payload"> {
  readonly organization_id: ActivityRecord["organizationId"]
  readonly workspace_id: ActivityRecord["workspaceId"]
  readonly id: ActivityId
  readonly actor_type: Actor["type"]
  readonly actor_id: string
  readonly actor_label: string
  readonly resource_type: string
  readonly resource_id: string
  readonly created_at: Date
}

const COLUMNS_BUT_PAYLOAD =
  "organization_id, workspace_id, id, action, actor_type, actor_id, actor_label, summary, resource_type, resource_id, created_at"

/** The columns of an `ActivityRow`. */
export const ACTIVITY_COLUMNS = `${COLUMNS_BUT_PAYLOAD}, payload`

/** The same of rows that are made of `activityArrays`. */
export const ACTIVITY_VALUES = `${COLUMNS_BUT_PAYLOAD}, payload::jsonb`

/** The entries as arrays for `unnest`, in the order of `ACTIVITY_COLUMNS`. */
export const activityArrays = (sql: SqlClient.SqlClient, entries: ReadonlyArray<ActivityRecord>) => sql`
  ${uuids(entries.map((entry) => entry.organizationId))},
  ${texts(entries.map((entry) => entry.workspaceId))}::uuid[],
  ${uuids(entries.map((entry) => entry.id))},
  ${texts(entries.map((entry) => entry.action))},
  ${texts(entries.map((entry) => entry.actor.type))},
  ${texts(entries.map((entry) => entry.actor.id))},
  ${texts(entries.map((entry) => entry.actor.label))},
  ${texts(entries.map((entry) => entry.summary))},
  ${texts(entries.map((entry) => entry.resourceType))},
  ${texts(entries.map((entry) => entry.resourceId))},
  ${timestamps(entries.map((entry) => entry.createdAt))},
  ${texts(entries.map((entry) => JSON.stringify(entry.payload)))}
`

/** The entry in a row. */
export const toEntry = (row: ActivityRow): ActivityRecord => ({
  id: row.id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  action: row.action,
  actor: { type: row.actor_type, id: row.actor_id, label: row.actor_label },
  summary: row.summary,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  payload: row.payload,
  createdAt: readTimestamp(row.created_at)
})

/**
 * The lock that everybody who tallies shares until the commit. Who holds it alone knows that no tally of an earlier minute
 * changes any more.
 */
export const TALLY_LOCK = "hashtextextended('agent_platform.activity_tally', 0)"
