import { ActivityHistory, ActivityPlace, ActivityWatermark } from "@agent-platform/feeds"
import { Effect } from "effect"
import { FIRST_ID, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { activityTable, TALLY_LOCK } from "./activityTable.ts"

/** A place: right after this entry of this transaction, whose number has at most 19 digits and does not begin with a zero. */
const PLACE = /^([1-9]\d{0,18})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const parsePlace = (place: ActivityPlace | undefined) => {
  const [, transaction = "0", id = FIRST_ID] = place === undefined ? [] : (PLACE.exec(place) ?? [])
  return { transaction, id }
}

const parseWatermark = (watermark: ActivityWatermark) => {
  const [transaction = "0", minute = ""] = watermark.split(" ")
  return { transaction, minute }
}

interface PlacedRow extends Row {
  readonly id: string
  readonly transaction: string
  /** Whether the entry is a tally of a minute that is not over, so that its count can still grow. */
  readonly grows: boolean
}

/**
 * Activity in the order of (transaction, id), before the oldest transaction that is still open and before the first tally of a
 * minute that is not over. An open transaction that has written holds exports back, in any database of the server. Numbers
 * begin anew where a dump is restored: entries then get others (`renewMarks`), and earlier places are never reached.
 */
export const layer = layerSql(ActivityHistory)((sql) => ({
  // All transactions that tallied in an earlier minute have committed once this lock is granted.
  watermark: Effect.gen(function* () {
    yield* sql`select pg_advisory_xact_lock(${sql.literal(TALLY_LOCK)})`
    const [row] = yield* sql<{ readonly watermark: string }>`
          select pg_snapshot_xmin(pg_current_snapshot())::text || ' ' ||
            extract(epoch from date_bin('1 minute', clock_timestamp(), 'epoch'))::bigint::text as watermark
        `
    return ActivityWatermark.make(row?.watermark ?? "")
  }).pipe(sql.withTransaction, Effect.orDie),

  read: Effect.fnUntraced(function* ({ after, before, limit, organizationId }) {
    const place = parsePlace(after)
    const watermark = parseWatermark(before)
    const rows = yield* Effect.orDie(sql<PlacedRow>`
          select ${sql.literal(activityTable.selected)}, recorded_xid::text as transaction,
            coalesce(tallied_until > to_timestamp(${watermark.minute}::text::bigint), false) as grows
          from agent_platform.activity
          where organization_id = ${organizationId}
            and (recorded_xid, id) > (${place.transaction}::text::xid8, ${place.id}::uuid)
            and recorded_xid < ${watermark.transaction}::text::xid8
          order by recorded_xid, id limit ${limit}
        `)
    const growing = rows.findIndex(({ grows }) => grows)
    const settled = growing === -1 ? rows : rows.slice(0, growing)
    const last = settled.at(-1)
    return {
      entries: activityTable.readAll(settled),
      end: last === undefined ? after : ActivityPlace.make(`${last.transaction}/${last.id}`),
      more: settled.length === limit
    }
  }),

  hasReached: Effect.fnUntraced(function* (organizationId, place) {
    if (!PLACE.test(place)) return false
    const { id, transaction } = parsePlace(place)
    // The entry itself may have been forgotten since.
    const [row] = yield* Effect.orDie(sql<{ readonly reached: boolean }>`
          select ${transaction}::text::xid8 < pg_snapshot_xmin(pg_current_snapshot()) and not exists (
            select from agent_platform.activity where id = ${id}::uuid
              and (organization_id <> ${organizationId} or recorded_xid <> ${transaction}::text::xid8)
          ) as reached
        `)
    return row?.reached === true
  }),

  find: (organizationId, ids) =>
    sql<Row>`
          select ${sql.literal(activityTable.selected)} from agent_platform.activity
          where organization_id = ${organizationId} and id = any(${uuids(ids)})
        `.pipe(mapRows(activityTable.readAll))
}))
