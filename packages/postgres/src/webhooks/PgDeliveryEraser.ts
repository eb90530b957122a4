import { addCounts, type Erased, type EventId, portionOf } from "@agent-platform/kernel"
import { DeliveryEraser } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { uuids } from "../columns.ts"
import { countRows, type ErasedTable, eraserOf } from "../erasing.ts"
import { layerSql } from "../layerSql.ts"

/** Most events whose deliveries and attempts are counted one by one. */
const COUNTED_EVENTS_MAX = 2_000

interface FoundEvent {
  readonly id: EventId
  readonly is_taken: boolean
}

/**
 * The eraser of the tables `event`, `event_outbox`, `webhook_delivery`, `webhook_attempt`, `webhook_endpoint` and `webhook_replay`.
 * A worker that has claimed one of the deliveries finds it gone, and writes nothing.
 */
export const layer = layerSql(DeliveryEraser)((sql) => {
  /** The condition for the events of an erasure; undefined where it has none. */
  const events = (what: Erased): Fragment | undefined => {
    switch (what._tag) {
      case "Resources":
        return sql`workspace_id = ${what.workspaceId} and run_id = any(${uuids(what.ids)})`
      case "Tenant":
        return what.workspaceId === null
          ? sql`organization_id = ${what.organizationId}`
          : sql`workspace_id = ${what.workspaceId}`
      case "Person":
        return undefined
    }
  }

  const ofOrganization: ErasedTable["where"] = (what) =>
    what._tag === "Tenant" && what.workspaceId === null ? sql`organization_id = ${what.organizationId}` : undefined
  const ofEndpoints: ErasedTable["where"] = (what) =>
    what._tag === "Tenant" && what.workspaceId === null
      ? sql`endpoint_id in (select id from agent_platform.webhook_endpoint where organization_id = ${what.organizationId})`
      : undefined
  const isUnused = sql`not exists (select from agent_platform.webhook_delivery where endpoint_id = webhook_endpoint.id)
    and not exists (select from agent_platform.webhook_attempt where endpoint_id = webhook_endpoint.id)
    and not exists (select from agent_platform.webhook_replay where endpoint_id = webhook_endpoint.id)`
  // Rows of endpoints, which are erased after all events, in this order.
  const endpoints = eraserOf(sql, [
    { kind: "attempts", table: "webhook_attempt", key: ["endpoint_id", "event_id", "number"], where: ofEndpoints },
    { kind: "deliveries", table: "webhook_delivery", key: ["endpoint_id", "event_id"], where: ofEndpoints },
    { kind: "replays", table: "webhook_replay", key: ["organization_id", "id"], where: ofOrganization },
    {
      kind: "endpoints",
      table: "webhook_endpoint",
      key: ["organization_id", "id"],
      where: ofOrganization,
      free: isUnused
    }
  ])

  /** Counts rows of the events, at all endpoints of the organization; `max` where there are too many events to look for each. */
  const countOf = (
    table: string,
    what: { readonly organizationId: string },
    ids: ReadonlyArray<EventId>,
    max: number
  ) =>
    ids.length > COUNTED_EVENTS_MAX
      ? Effect.succeed(max)
      : countRows(
          sql,
          { table },
          sql`event_id = any(${uuids(ids)}) and endpoint_id in (
            select id from agent_platform.webhook_endpoint where organization_id = ${what.organizationId}
          )`,
          max
        )

  /** Deletes rows of the events, at all endpoints of the organization. */
  const deleteOf = (table: string, what: { readonly organizationId: string }, ids: ReadonlyArray<EventId>) =>
    Effect.map(
      Effect.orDie(sql`
        with of_event as (
          select endpoint.id as endpoint_id, event_id from unnest(${uuids(ids)}) as event_id
          cross join agent_platform.webhook_endpoint as endpoint
          where endpoint.organization_id = ${what.organizationId}
        )
        delete from agent_platform.${sql.literal(table)} as erased using of_event
        where erased.endpoint_id = of_event.endpoint_id and erased.event_id = of_event.event_id
        returning 1
      `),
      (rows) => rows.length
    )

  return {
    count: Effect.fnUntraced(function* (what, max) {
      const meant = events(what)
      if (meant === undefined || what._tag === "Person") return {}
      // Events of workspaces are counted with these.
      const own = what.workspaceId === null ? sql`${meant} and workspace_id is null` : meant
      // Attempts and deliveries are counted by their events below, and not a second time by their endpoints.
      const { attempts: _attempts, deliveries: _deliveries, ...rest } = yield* endpoints.count(what, max)
      const some = yield* Effect.orDie(sql<{ readonly id: EventId }>`
        select id from agent_platform.event where ${own} limit ${COUNTED_EVENTS_MAX + 1}
      `)
      const ids = some.map(({ id }) => id)
      return {
        ...rest,
        events: yield* countRows(sql, { table: "event" }, own, max),
        deliveries: yield* countOf("webhook_delivery", what, ids, max),
        attempts: yield* countOf("webhook_attempt", what, ids, max)
      }
    }),

    erase: Effect.fnUntraced(function* (what, max) {
      const meant = events(what)
      if (meant === undefined || what._tag === "Person") return { counts: {}, isOver: true }
      // Resources are erased at once, since they have few events.
      const limit = what._tag === "Resources" ? sql`` : sql`limit ${max}`
      // The lock waits for a replay that holds one of the events, so that what it writes is found below.
      const found = yield* Effect.orDie(sql<FoundEvent>`
        select event.id, coalesce(outbox.taken_until > now(), false) as is_taken from agent_platform.event
        left join agent_platform.event_outbox as outbox on outbox.event_id = event.id
        where ${meant} order by is_taken ${limit} for update of event
      `)
      const free = found.filter((event) => !event.is_taken).map(({ id }) => id)
      if (free.length > 0) {
        // A worker that takes one of the events now waits for this lock, and then finds it gone.
        yield* Effect.orDie(sql`delete from agent_platform.event_outbox where event_id = any(${uuids(free)})`)
      }
      const attempts = free.length === 0 ? 0 : yield* deleteOf("webhook_attempt", what, free)
      const deliveries = free.length === 0 ? 0 : yield* deleteOf("webhook_delivery", what, free)
      if (free.length > 0) yield* Effect.orDie(sql`delete from agent_platform.event where id = any(${uuids(free)})`)
      const counts = { events: free.length, deliveries, attempts }
      if (what._tag === "Resources") return { counts, isOver: free.length === found.length }
      if (found.length > 0) return { counts, isOver: false }
      return portionOf(what, addCounts(counts, (yield* endpoints.erase(what, max)).counts))
    })
  }
})
