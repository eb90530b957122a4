import type { NoticeOwner } from "@agent-platform/feeds"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isOf } from "./owners.ts"

/** Most closings that are taken up at once; the others wait for the next filing. */
const CLOSINGS_MAX = 2_000

/**
 * Marks the notices as read that were closed since the last filing, as when a question was answered, and has them say so. The caller holds
 * the owner's tally. `read_own` is the number up to which the workspace has read all of its notices; those beyond it are marked one by one,
 * and `read_beyond` counts these marks.
 *
 * - `closed`: takes the closings. One whose notice has no number yet waits for the next filing.
 * - `retitled`: gives the notices the title of their last closing.
 * - `marked`: marks those that are not read yet.
 */
export const closeNotices = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, owner: NoticeOwner) {
  const { organizationId, workspaceId } = owner
  if (workspaceId === null) return
  const [closing] = yield* sql`
    select 1 from agent_platform.notification_closing where workspace_id = ${workspaceId} limit 1
  `
  if (closing === undefined) return
  yield* sql`
    insert into agent_platform.notification_reader (organization_id, workspace_id) values (${organizationId}, ${workspaceId})
    on conflict do nothing
  `
  // Locked, since `read_own` must stay as it is until the marks are counted.
  yield* sql`
    select 1 from agent_platform.notification_reader
    where organization_id = ${organizationId} and workspace_id = ${workspaceId} for update
  `
  yield* sql`
    with closed as (
      delete from agent_platform.notification_closing where workspace_id = ${workspaceId} and id in (
        select closing.id from agent_platform.notification_closing closing
        where closing.workspace_id = ${workspaceId} and not exists (
          select from agent_platform.notification
          where ${isOf(sql, owner)} and notification.about = closing.about and notification.number is null
        )
        order by closing.id limit ${CLOSINGS_MAX}
      )
      returning id, about, title
    ), retitled as (
      update agent_platform.notification set title = latest.title
      from (select distinct on (about) about, title from closed order by about, id desc) as latest
      where ${isOf(sql, owner)} and notification.about = latest.about
    ), marked as (
      insert into agent_platform.notification_read (notification_id, organization_id, workspace_id)
      select distinct notification.id, reader.organization_id, reader.workspace_id
      from closed join agent_platform.notification on notification.about = closed.about
      join agent_platform.notification_reader reader
        on reader.organization_id = ${organizationId} and reader.workspace_id = ${workspaceId}
      where ${isOf(sql, owner)} and notification.number > reader.read_own
      on conflict do nothing returning 1
    )
    update agent_platform.notification_reader set read_beyond = read_beyond + (select count(*) from marked)
    where organization_id = ${organizationId} and workspace_id = ${workspaceId}
  `
})
