import type { NotificationFeed } from "@agent-platform/feeds"
import { firstIdAt } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { FIRST_ID } from "../columns.ts"
import { fileNotices } from "./fileNotices.ts"
import { holdTally, isOf, isTallyOf } from "./owners.ts"

/** A number beyond all numbers. */
const NO_NUMBER = "9223372036854775807"

/**
 * `NotificationFeed.forget`: deletes the oldest notices of an owner together with the marks that workspaces have read them, up to the
 * first notice that stays. One stays that is both of `before` or later and among the last `keep`. The lock on the tally keeps out
 * marking by ids, the locks on the readers' rows keep out marking all. Committed notices are filed first: without a number they
 * have no place in the order, and are not among the last.
 *
 * - `tally.filed`: the number of the owner's newest filed notice, which is how many have ever been filed.
 * - `tally.forgotten`: the number up to which the owner's notices are deleted.
 * - `reader.read_own`: the number up to which a workspace has read all notices of its own.
 * - `reader.read_shared`: the same for those of its organization.
 * - `reader.read_beyond`: how many notices after these two numbers it has read one by one, each with a row in `notification_read`.
 *
 * The parts of the statement: `head` are the next notices in the order of numbers, `gone` those of them before the first that stays,
 * `unmarked` the marks on these, and `fewer` by how many each reader's `read_beyond` is lowered for them.
 */
export const forgetNotices =
  (sql: SqlClient.SqlClient): NotificationFeed["Service"]["forget"] =>
  (owner, { before, keep }, max) =>
    Effect.gen(function* () {
      const { organizationId, workspaceId } = owner
      const isReader =
        workspaceId === null
          ? sql`reader.organization_id = ${organizationId}`
          : sql`reader.organization_id = ${organizationId} and reader.workspace_id = ${workspaceId}`
      const mark = sql.literal(workspaceId === null ? "reader.read_shared" : "reader.read_own")
      yield* holdTally(sql, owner)
      yield* fileNotices(sql, owner, undefined)
      yield* sql`select 1 from agent_platform.notification_reader reader where ${isReader} order by workspace_id for update`
      const [row] = yield* sql<{ readonly count: bigint }>`
        with head as (
          select notification.id, notification.number
          from agent_platform.notification, agent_platform.notification_tally tally
          where ${isOf(sql, owner)} and ${isTallyOf(sql, owner)}
            and notification.number is not null and notification.number > tally.forgotten
          order by notification.number limit ${max}
        ), gone as (
          delete from agent_platform.notification using head
          where notification.id = head.id and head.number < coalesce(
            (
              select min(head.number) from head, agent_platform.notification_tally tally
              where ${isTallyOf(sql, owner)} and head.id >= ${before === undefined ? FIRST_ID : firstIdAt(before)}::uuid
                and head.number > ${keep === undefined ? sql.literal("0") : sql`tally.filed - ${keep}::bigint`}
            ), ${NO_NUMBER}::bigint
          )
          returning notification.id, notification.number
        ), unmarked as (
          delete from agent_platform.notification_read marked using gone
          where marked.notification_id = gone.id returning marked.workspace_id, gone.number
        ), fewer as (
          select reader.workspace_id, count(*) as count
          from unmarked join agent_platform.notification_reader reader using (workspace_id)
          where ${isReader} and unmarked.number > ${mark}
          group by reader.workspace_id
        ), lowered as (
          update agent_platform.notification_reader reader set read_beyond = reader.read_beyond - fewer.count
          from fewer where ${isReader} and reader.workspace_id = fewer.workspace_id
        )
        update agent_platform.notification_tally tally set forgotten = coalesce((select max(number) from gone), tally.forgotten)
        where ${isTallyOf(sql, owner)} returning (select count(*) from gone) as count
      `
      return Number(row?.count ?? 0)
    }).pipe(Effect.orDie)
