import type { NoticeOwner } from "@agent-platform/feeds"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isOf, isTallyOf } from "./owners.ts"

/**
 * Numbers the owner's oldest notices that have none, `max` of them or all, and answers how many. The owner's tally is held:
 * so this statement sees everything that was committed when it got there, and nobody else gives the same numbers.
 */
export const fileNotices = (sql: SqlClient.SqlClient, owner: NoticeOwner, max: number | undefined) =>
  sql<{ readonly count: bigint }>`
    with unfiled as (
      select id, created_at from agent_platform.notification where ${isOf(sql, owner)} and number is null
      order by created_at, id ${max === undefined ? sql.literal("") : sql`limit ${max}`}
    ), numbered as (
      select id, row_number() over (order by created_at, id) as place from unfiled
    ), moved as (
      update agent_platform.notification set number = tally.filed + numbered.place
      from numbered, agent_platform.notification_tally tally
      where notification.id = numbered.id and ${isTallyOf(sql, owner)}
      returning 1
    )
    update agent_platform.notification_tally tally set filed = tally.filed + (select count(*) from moved)
    where ${isTallyOf(sql, owner)} returning (select count(*) from moved) as count
  `.pipe(Effect.map(([row]) => Number(row?.count ?? 0)))
