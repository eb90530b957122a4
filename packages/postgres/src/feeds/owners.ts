/** Conditions and locks by the owner of notices: a workspace, or the whole organization, whose notices have no workspace. */
import type { FeedWorkspace, NoticeOwner } from "@agent-platform/feeds"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The condition for the owner's notices, by their index. It does not check that the workspace is the organization's. */
export const isOf = (sql: SqlClient.SqlClient, { organizationId, workspaceId }: NoticeOwner) =>
  sql`notification.owner_id = ${workspaceId ?? organizationId}::uuid`

/** The condition for the owner's row of `notification_tally`, which goes by the name of `tally`. */
export const isTallyOf = (sql: SqlClient.SqlClient, { organizationId, workspaceId }: NoticeOwner) =>
  sql`coalesce(tally.workspace_id, tally.organization_id) = ${workspaceId ?? organizationId}::uuid`

/** Locks the owner's tally until the transaction ends, against all that file, forget or mark. */
export const holdTally = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: NoticeOwner) {
  const { organizationId, workspaceId } = owner
  yield* sql`
    insert into agent_platform.notification_tally (organization_id, workspace_id) values (${organizationId}, ${workspaceId}::uuid)
    on conflict (coalesce(workspace_id, organization_id)) do nothing
  `
  yield* sql`
    select 1 from agent_platform.notification_tally
    where coalesce(workspace_id, organization_id) = ${workspaceId ?? organizationId}::uuid for update
  `
})

/**
 * Locks the workspace's reader until the transaction ends, and before it the tallies of its organization and of itself, in this order:
 * `update` locks them against everybody, `share` against filing and forgetting only.
 */
export const holdReader = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { organizationId, workspaceId }: FeedWorkspace,
  strength: "update" | "share"
) {
  yield* sql`
    insert into agent_platform.notification_tally (organization_id, workspace_id)
    values (${organizationId}, null), (${organizationId}, ${workspaceId})
    on conflict (coalesce(workspace_id, organization_id)) do nothing
  `
  yield* sql`
    select 1 from agent_platform.notification_tally
    where coalesce(workspace_id, organization_id) in (${organizationId}::uuid, ${workspaceId}::uuid)
    order by workspace_id nulls first for ${sql.literal(strength)}
  `
  // Inserting a reader locks it. Filing inserts one while it holds a tally, so here, too, the tallies are locked before it.
  yield* sql`
    insert into agent_platform.notification_reader (organization_id, workspace_id) values (${organizationId}, ${workspaceId})
    on conflict do nothing
  `
  yield* sql`
    select 1 from agent_platform.notification_reader
    where organization_id = ${organizationId} and workspace_id = ${workspaceId} for update
  `
})
