/** Deliveries of webhooks as operators see them, over the whole deployment. */
import type { EventId } from "@agent-platform/kernel"
import type { DeliveryState, EndpointId } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp } from "../columns.ts"
import { AHEAD_MAX, type OperatorFilter } from "./views.ts"

/** The key of a delivery. */
export interface DeliveryPlace {
  readonly eventId: EventId
  readonly endpointId: EndpointId
}

export interface OperatorDeliveryFilter extends OperatorFilter {
  readonly endpointId: EndpointId | null
  readonly state: DeliveryState | null
  /** The last delivery of the page before; null for the first page. */
  readonly before: DeliveryPlace | null
}

/** A delivery, under the names that it is printed with: without its event's body, and with only the host of the endpoint's URL. */
export interface OperatorDelivery {
  readonly event_id: EventId
  readonly endpoint_id: EndpointId
  readonly organization_id: string
  readonly workspace_id: string | null
  readonly event_type: string
  readonly endpoint_host: string | null
  readonly endpoint_status: string
  readonly state: DeliveryState
  readonly state_reason: string | null
  readonly attempts: number
  readonly failures: number
  readonly next_attempt_at: Date | null
  readonly created_at: Date
  readonly delivered_at: Date | null
}

/** Circumstances that decide when a delivery is tried. */
export interface DeliveryCircumstances {
  /**
   * The seconds until it may be claimed, by the database's clock: negative once it may, null unless it is pending. A claimed delivery
   * may be claimed again when that claim ends.
   */
  readonly due_in_seconds: number | null
  /** Whether a worker has claimed it. */
  readonly is_claimed: boolean
  /** How many deliveries are due before it, of its endpoint and of all endpoints, each counted up to 10,000. */
  readonly ahead_of_endpoint: number
  readonly ahead: number
  /** Sessions that workers have with the database. */
  readonly worker_sessions: number
}

const COLUMNS = `delivery.event_id, delivery.endpoint_id, delivery.organization_id, event.workspace_id, delivery.event_type,
  lower(substring(endpoint.url from '^[A-Za-z]+://(?:[^/?#]*@)?([^/?#@]+)')) as endpoint_host, endpoint.status as endpoint_status,
  delivery.state, delivery.state_reason, delivery.attempt_count as attempts, delivery.failures, delivery.next_attempt_at,
  delivery.created_at, delivery.delivered_at`

/** The newest deliveries that match the filter: `limit` of them, and one more where there are more. Each endpoint costs one index walk. */
export const listOperatorDeliveries = (filter: OperatorDeliveryFilter) =>
  SqlClient.SqlClient.use((sql) => {
    const { before, endpointId, limit, organizationId, since, state, workspaceId } = filter
    const endpoints = [
      ...(organizationId === null ? [] : [sql`organization_id = ${organizationId}`]),
      ...(endpointId === null ? [] : [sql`id = ${endpointId}`])
    ]
    const conditions = [
      sql`delivery.endpoint_id = endpoint.id`,
      // Ids of events begin with their time, which also leaves out the partitions of months before.
      sql`delivery.event_id >= (lpad(to_hex((extract(epoch from ${timestamp(since)}::timestamptz) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`,
      // Written into the text, so that the plan knows which partial index serves it; it is one of three words.
      ...(state === null ? [] : [sql`delivery.state = ${sql.literal(`'${state}'`)}`]),
      ...(before === null
        ? []
        : [sql`(delivery.event_id, delivery.endpoint_id) < (${before.eventId}::uuid, ${before.endpointId}::uuid)`]),
      ...(workspaceId === null
        ? []
        : [
            sql`exists (select from agent_platform.event where event.id = delivery.event_id and event.workspace_id = ${workspaceId})`
          ])
    ]
    return sql<OperatorDelivery>`
      select ${sql.literal(COLUMNS)}
      from (
        select * from agent_platform.webhook_endpoint ${endpoints.length === 0 ? sql.literal("") : sql`where ${sql.and(endpoints)}`}
      ) as endpoint
      cross join lateral (
        select * from agent_platform.webhook_delivery as delivery where ${sql.and(conditions)}
        order by delivery.event_id desc limit ${limit + 1}
      ) as delivery
      left join agent_platform.event on event.id = delivery.event_id
      order by delivery.event_id desc, delivery.endpoint_id desc limit ${limit + 1}
    `
  })

/** A delivery and its circumstances; undefined where there is none at this place. */
export const findOperatorDelivery = (place: DeliveryPlace) =>
  Effect.gen(function* () {
    const { endpointId, eventId } = place
    const sql = yield* SqlClient.SqlClient
    const [delivery] = yield* sql<OperatorDelivery>`
      select ${sql.literal(COLUMNS)}
      from agent_platform.webhook_delivery as delivery
      join agent_platform.webhook_endpoint as endpoint
        on endpoint.organization_id = delivery.organization_id and endpoint.id = delivery.endpoint_id
      left join agent_platform.event on event.id = delivery.event_id
      where delivery.endpoint_id = ${endpointId} and delivery.event_id = ${eventId}
    `
    if (delivery === undefined) return undefined
    const [circumstances] = yield* sql<DeliveryCircumstances>`
      select extract(epoch from delivery.due_at - clock_timestamp())::float8 as due_in_seconds,
        delivery.claim_token is not null as is_claimed,
        (
          select count(*)::int from (
            select from agent_platform.webhook_delivery as other
            where other.state = 'pending' and other.endpoint_id = delivery.endpoint_id and other.due_at < delivery.due_at limit ${AHEAD_MAX}
          ) as one
        ) as ahead_of_endpoint,
        (
          select count(*)::int from (
            select from agent_platform.webhook_delivery as other
            where other.state = 'pending' and other.due_at < delivery.due_at limit ${AHEAD_MAX}
          ) as one
        ) as ahead,
        (
          select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name = 'agent-platform-worker'
        ) as worker_sessions
      from agent_platform.webhook_delivery as delivery where delivery.endpoint_id = ${endpointId} and delivery.event_id = ${eventId}
    `
    return circumstances === undefined ? undefined : { delivery, circumstances }
  })
