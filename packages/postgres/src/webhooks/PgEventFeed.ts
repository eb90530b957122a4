import { bodyOf } from "@agent-platform/kernel"
import { EventFeed, FEED_PAGE_BYTES, FeedPosition, type FollowedEvent } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { readTimestamp, uuids } from "../columns.ts"
import { feedEnd, hasReachedPlace, readFeedPlace, writeFeedPlace } from "../feedPlaces.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"

interface FeedRow {
  readonly transaction: string
  readonly id: FollowedEvent["id"]
  readonly organization_id: FollowedEvent["organizationId"]
  readonly type: string
  readonly created_at: Date
  readonly data: string
  readonly has_more: boolean
}

const position = (transaction: string, id: string): FeedPosition => FeedPosition.make(writeFeedPlace(transaction, id))

/** The events in the order of (transaction, id). `behind` does not find events from before a dump was restored. */
export const layer = layerSql(EventFeed)((sql) => ({
  end: Effect.map(feedEnd(sql), (end) => FeedPosition.make(end)),

  hasReached: (place) => hasReachedPlace(sql, place),

  behind: (organizationId, eventId) =>
    sql<{ readonly transaction: string }>`
          select transaction_id::text as transaction from agent_platform.event
          where id = ${eventId} and organization_id = ${organizationId}
            and transaction_id < pg_snapshot_xmin(pg_current_snapshot())
        `.pipe(mapRows(([row]) => row && position(row.transaction, eventId))),

  read: Effect.fnUntraced(function* ({ after, limit, organizations, upTo }) {
    if (organizations.length === 0) return { events: [], next: upTo }
    const [afterTransaction, afterId] = readFeedPlace(after)
    const [upToTransaction, upToId] = readFeedPlace(upTo)
    // One look-up in the index for each organization: a single condition over all of them would sort the whole feed.
    // A page ends once the data of the events before has `FEED_PAGE_BYTES`. The length of data is known without reading it, so what is
    // not on the page is not read.
    const rows = yield* Effect.orDie(sql<FeedRow>`
          select transaction_id::text as transaction, id, organization_id, type, created_at, data, has_more from (
            select found.*, count(*) over following > 0 as has_more,
              coalesce(sum(octet_length(found.data)) over preceding, 0) as bytes_before
            from (
              select found.* from unnest(${uuids(organizations)}) as followed (organization_id)
              cross join lateral (
                select transaction_id, id, organization_id, type, created_at, data from agent_platform.event
                where event.organization_id = followed.organization_id
                  and (transaction_id, id) > (${afterTransaction}::text::xid8, ${afterId}::uuid)
                  and (transaction_id, id) <= (${upToTransaction}::text::xid8, ${upToId}::uuid)
                order by transaction_id, id limit ${limit + 1}
              ) as found
              order by found.transaction_id, found.id limit ${limit + 1}
            ) as found
            window
              preceding as (order by transaction_id, id rows between unbounded preceding and 1 preceding),
              following as (order by transaction_id, id rows between 1 following and 1 following)
          ) as page
          where bytes_before < ${FEED_PAGE_BYTES} order by transaction_id, id limit ${limit}
        `)
    const last = rows.at(-1)
    return {
      events: rows.map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        type: row.type,
        body: bodyOf({ id: row.id, type: row.type, createdAt: readTimestamp(row.created_at), data: row.data })
      })),
      next: last?.has_more === true ? position(last.transaction, last.id) : upTo
    }
  })
}))
