import { countFailures, failuresMatterFrom, type NoticeOwner } from "@agent-platform/feeds"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { timestamp, uuids } from "../columns.ts"
import type { Row } from "../table.ts"
import { closeNotices } from "./closeNotices.ts"
import { growingTable, notificationTable } from "./notificationTable.ts"
import { isOf, isTallyOf } from "./owners.ts"

/** Most notices that one statement files. */
const BATCH_MAX = 2_000

/** The ids of the owner's oldest notices without a number, at most `max`. Notices that are committed later wait for the next batch. */
const oldest = (sql: SqlClient.SqlClient, owner: NoticeOwner, max: number) =>
  Effect.map(
    sql<{ readonly id: string }>`
      select id from agent_platform.notification where ${isOf(sql, owner)} and number is null
      order by created_at, id limit ${max}
    `,
    (rows) => rows.map(({ id }) => id)
  )

/** Has repeated failures among these notices counted by an earlier notice, and deletes their own. Returns the ids of those deleted. */
const countRepeated = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  owner: NoticeOwner,
  ids: ReadonlyArray<string>
) {
  if (owner.workspaceId === null) return []
  const columns = sql.literal(notificationTable.selected)
  const fresh = notificationTable.readAll(
    yield* sql<Row>`
      select ${columns} from agent_platform.notification
      where id = any(${uuids(ids)}) and type = 'run.failed' and about is not null
        and not exists (select from agent_platform.notification_read where notification_id = notification.id)
    `
  )
  if (fresh.length === 0) return []
  const from = failuresMatterFrom(fresh.map(({ createdAt }) => createdAt).reduce(DateTime.min))
  const known = notificationTable.readAll(
    yield* sql<Row>`
      select ${columns} from agent_platform.notification
      where ${isOf(sql, owner)} and type = 'run.failed' and number is not null and created_at > ${timestamp(from)}
        and about = any(${uuids([...new Set(fresh.map(({ about }) => about))])})
      order by created_at, id
    `
  )
  const { counted, counting } = countFailures(known, fresh)
  if (counting.length > 0) {
    yield* sql`
      update agent_platform.notification set ${sql.literal(growingTable.assignedFrom("grown"))}
      from (${growingTable.rowsOf(counting)}) as grown where notification.id = grown.id
    `
  }
  if (counted.length > 0) yield* sql`delete from agent_platform.notification where id = any(${uuids(counted)})`
  return counted
})

/** Numbers these notices, oldest first, after the last number that the owner's tally has given (`filed`). */
const giveNumbers = (sql: SqlClient.SqlClient, owner: NoticeOwner, ids: ReadonlyArray<string>) => sql`
  with numbered as (
    select id, row_number() over (order by created_at, id) as place
    from agent_platform.notification where id = any(${uuids(ids)})
  ), moved as (
    update agent_platform.notification set number = tally.filed + numbered.place
    from numbered, agent_platform.notification_tally tally
    where notification.id = numbered.id and ${isTallyOf(sql, owner)}
    returning 1
  )
  update agent_platform.notification_tally tally set filed = tally.filed + (select count(*) from moved)
  where ${isTallyOf(sql, owner)}
`

/**
 * Files the owner's oldest notices without a number, `max` of them or all: numbers them, in the order in which they are followed and
 * marked as read. Returns how many. The owner's tally is held, so that nobody else counts or numbers meanwhile.
 */
export const fileNotices = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  owner: NoticeOwner,
  max: number | undefined
) {
  let filed = 0
  while (filed !== max) {
    const batch = Math.min(BATCH_MAX, (max ?? Number.MAX_SAFE_INTEGER) - filed)
    const ids = yield* oldest(sql, owner, batch)
    if (ids.length > 0) {
      const counted = new Set<string>(yield* countRepeated(sql, owner, ids))
      yield* giveNumbers(
        sql,
        owner,
        ids.filter((id) => !counted.has(id))
      )
    }
    filed += ids.length
    if (ids.length < batch) {
      yield* closeNotices(sql, owner)
      break
    }
  }
  return filed
})
