/** Whose notices are meant, in SQL: those to a workspace, or those to the whole organization, which have none. */
import type { FeedWorkspace, NoticeOwner } from "@agent-platform/feeds"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** The owner's notices, as their indexes have it. Nothing here says that the workspace is the organization's. */
export const isOf = (sql: SqlClient.SqlClient, { organizationId, workspaceId }: NoticeOwner) =>
  sql`notification.owner_id = ${workspaceId ?? organizationId}::uuid`

/** The owner's row of `notification_tally`, which goes by the name of `tally`. */
export const isTallyOf = (sql: SqlClient.SqlClient, { organizationId, workspaceId }: NoticeOwner) =>
  sql`coalesce(tally.workspace_id, tally.organization_id) = ${workspaceId ?? organizationId}::uuid`

/** Locks the owner's tally against everybody who files, forgets or marks meanwhile, until the transaction ends. */
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
 * Locks the workspace's reader until the transaction ends, and before it the two tallies that it sees, the organization's first:
 * `update` against everybody, `share` against those who file and forget.
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
    insert into agent_platform.notification_reader (organization_id, workspace_id) values (${organizationId}, ${workspaceId})
    on conflict do nothing
  `
  yield* sql`
    select 1 from agent_platform.notification_tally
    where coalesce(workspace_id, organization_id) in (${organizationId}::uuid, ${workspaceId}::uuid)
    order by workspace_id nulls first for ${sql.literal(strength)}
  `
  yield* sql`
    select 1 from agent_platform.notification_reader
    where organization_id = ${organizationId} and workspace_id = ${workspaceId} for update
  `
})
