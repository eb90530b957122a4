/** A feed that is broken on purpose: a suite that lets the fault through fails here. */
import { bodyOf, type EventId, type OrganizationId } from "@agent-platform/kernel"
import { PgEventLog, layer as postgres } from "@agent-platform/postgres"
import { EventFeed, FeedPosition, type FollowedEvent } from "@agent-platform/webhooks"
import { eventFeedContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bite } from "../../kernel/test/bite.ts"
import { databaseLayer } from "./support/database.ts"

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const feedEnd = (sql: SqlClient.SqlClient) =>
  sql<{ readonly id: string }>`
    select coalesce(max(id::text), '00000000-0000-0000-0000-000000000000') as id from event
  `.pipe(
    Effect.orDie,
    Effect.map(([row]) => FeedPosition.make(row?.id ?? ""))
  )

/** Goes by ids, which are made before their transactions commit. */
const byIds = Layer.effect(
  EventFeed,
  Effect.map(SqlClient.SqlClient, (sql) =>
    EventFeed.of({
      end: feedEnd(sql),
      hasReached: (place) => Effect.map(feedEnd(sql), (end) => UUID.test(place) && place <= end),
      behind: (organizationId: OrganizationId, eventId: EventId) =>
        sql`select 1 from event where id = ${eventId} and organization_id = ${organizationId}`.pipe(
          Effect.orDie,
          Effect.map((rows) => (rows.length > 0 ? FeedPosition.make(eventId) : undefined))
        ),
      read: ({ after, limit, organizations, upTo }) =>
        Effect.forEach(organizations, (organizationId) =>
          sql<Readonly<Record<string, unknown>>>`
              select ${sql.literal(PgEventLog.eventTable.names)} from event
              where organization_id = ${organizationId} and id > ${after} and id <= ${upTo}
              order by id limit ${limit}
            `.pipe(
            Effect.map((rows) =>
              PgEventLog.eventTable.readAll(rows).map(
                (event): FollowedEvent => ({
                  id: event.id,
                  organizationId: event.organizationId,
                  type: event.type,
                  body: bodyOf(event)
                })
              )
            )
          )
        ).pipe(
          Effect.orDie,
          Effect.map((found) => {
            const events = found
              .flat()
              .sort((a, b) => (a.id < b.id ? -1 : 1))
              .slice(0, limit)
            const last = events.at(-1)
            return { events, next: events.length < limit || last === undefined ? upTo : FeedPosition.make(last.id) }
          })
        )
    })
  )
)

bite(
  "a feed that goes by the ids of events",
  () => eventFeedContract("ids", byIds.pipe(Layer.provideMerge(postgres), Layer.provideMerge(databaseLayer))),
  [
    "leaves out no event whose transaction commits after a later one's",
    "ends a page with the event that fills it, however many were asked for"
  ]
)
