import { bodyOf } from "@agent-platform/kernel"
import type { ClaimedDelivery, ClaimLimits, Delivery, DeliveryQueue } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { claiming } from "../claims.ts"
import { FIRST_ID, integers, uuids } from "../columns.ts"
import { eventTable } from "../PgEventLog.ts"
import { askAlone } from "../pipelined.ts"
import type { Row } from "../table.ts"
import { deliveryClaims, formatToken } from "./claims.ts"
import { deliveryTable } from "./deliveryTable.ts"
import { recipientsOf } from "./PgEndpointHealthStore.ts"

/** A claim looks at this many of the oldest due rows for each that it takes, and at least at so many. */
const LOOKED_AT_PER_TAKEN = 4
const LOOKED_AT_MIN = 256

/**
 * Most endpoints that are looked at one by one where the oldest rows belong to endpoints at their limits. Each takes some 20 µs.
 */
const ENDPOINTS_LOOKED_AT = 256

/** Candidates beyond those that are taken, for the rows that other workers are claiming at this moment. */
const CANDIDATES_PER_TAKEN = 4

/** A row that was claimed; one with only nulls where none was. */
interface AnsweredRow extends Row {
  readonly claim_token: string | null
  /** The endpoint after which the next claim goes on to look one by one; null where it begins with the first. */
  readonly last_endpoint: string | null
}

/** The part of an event that a delivery needs. */
const sentTable = eventTable.pick("id", "type", "createdAt", "data", "trace")

/**
 * `DeliveryQueue.claimDue`. It costs the same however much is due:
 * - `oldest`: a bounded number of the rows that have been due longest.
 * - `waiting`: endpoints one by one, from where the last claim ended. Only where more is due, and too few of the oldest rows fit under
 *   the limits of their endpoints (`limited` has those that differ), as when a million are due to an endpoint that is away.
 * - `looked_at`, `fitting`, `due`: the rows of both, ranked within their endpoint and then their organization, up to the limits.
 * - `picked`, `claimed`: ranked rows cannot be locked. So they are locked here, and checked again for what other claims have changed.
 *
 * Endpoints and events are read afterwards; a delivery whose event is gone is returned without a body.
 */
export const claimDue = (sql: SqlClient.SqlClient): DeliveryQueue["Service"]["claimDue"] => {
  const columns = sql.literal(deliveryTable.selected)
  const recipients = recipientsOf(sql)
  /** The endpoint after which the next claim of this process looks on. */
  let lastEndpoint = FIRST_ID

  const claim = ({ endpointLimits, leaseSeconds, max, perEndpoint, perOrganization }: ClaimLimits) => {
    const looks = Math.max(LOOKED_AT_MIN, max * LOOKED_AT_PER_TAKEN)
    return sql<AnsweredRow>`
      with recursive oldest as materialized (
        select endpoint_id, event_id, organization_id, due_at from agent_platform.webhook_delivery
        where state = 'pending' and due_at <= now()
        order by due_at limit ${looks}
      ), limited as (
        select * from unnest(${uuids([...endpointLimits.keys()])}, ${integers([...endpointLimits.values()])}) as limited (endpoint_id, most)
      ), waiting as (
        (
          select endpoint_id, 1 as place from agent_platform.webhook_delivery
          where state = 'pending' and endpoint_id > ${lastEndpoint}
            and (select count(*) from oldest) >= ${looks}
            and ${max} > (
              select sum(least(counted.due, coalesce(most, ${perEndpoint})))
              from (select endpoint_id, count(*) as due from oldest group by endpoint_id) as counted
              left join limited using (endpoint_id)
            )
          order by endpoint_id limit 1
        )
        union all
        select following.endpoint_id, waiting.place + 1 from waiting, lateral (
          select endpoint_id from agent_platform.webhook_delivery
          where state = 'pending' and endpoint_id > waiting.endpoint_id
          order by endpoint_id limit 1
        ) as following
        where waiting.place < ${ENDPOINTS_LOOKED_AT}
      ), looked_at as (
        select * from oldest
        union
        select found.* from waiting left join limited using (endpoint_id), lateral (
          select endpoint_id, event_id, organization_id, due_at from agent_platform.webhook_delivery
          where state = 'pending' and due_at <= now() and endpoint_id = waiting.endpoint_id
          order by due_at limit coalesce(most, ${perEndpoint})
        ) as found
      ), fitting as (
        select endpoint_id, event_id, due_at,
          row_number() over (partition by organization_id order by due_at, event_id) as place_in_organization
        from (
          select *, row_number() over (partition by endpoint_id order by due_at, event_id) as place from looked_at
        ) as ranked left join limited using (endpoint_id)
        where place <= coalesce(most, ${perEndpoint})
      ), due as materialized (
        select endpoint_id, event_id, due_at from fitting where place_in_organization <= ${perOrganization}
        order by due_at, event_id limit ${max * CANDIDATES_PER_TAKEN}
      ), picked as materialized (
        select delivery.endpoint_id, delivery.event_id
        from due join agent_platform.webhook_delivery delivery using (endpoint_id, event_id)
        where delivery.state = 'pending' and delivery.due_at <= now()
        order by due.due_at, due.event_id limit ${max}
        for update of delivery skip locked
      ), claimed as (
        update agent_platform.webhook_delivery delivery
        set ${claiming(sql, deliveryClaims, sql`gen_random_uuid()`, leaseSeconds)}
        from picked
        where delivery.endpoint_id = picked.endpoint_id and delivery.event_id = picked.event_id
        returning delivery.*
      )
      select ${columns}, webhook_delivery.claim_token, last.endpoint_id as last_endpoint
      from (select (select endpoint_id from waiting where place = ${ENDPOINTS_LOOKED_AT})) as last (endpoint_id)
      left join claimed as webhook_delivery on true
      order by next_attempt_at, event_id
    `
  }

  const eventsOf = (deliveries: ReadonlyArray<Delivery>) => sql<Row>`
    select ${sql.literal(sentTable.names)} from agent_platform.event
    where id = any(${uuids([...new Set(deliveries.map((delivery) => delivery.eventId))])})
  `

  return Effect.fnUntraced(function* (limits) {
    const answered = yield* Effect.orDie(askAlone(sql, claim(limits)))
    lastEndpoint = answered[0]?.last_endpoint ?? FIRST_ID
    const claims = answered.flatMap((row) =>
      row.claim_token === null ? [] : [{ delivery: deliveryTable.read(row), claimToken: row.claim_token }]
    )
    if (claims.length === 0) return []
    const deliveries = claims.map(({ delivery }) => delivery)
    const [found, events] = yield* Effect.all([recipients(deliveries), Effect.orDie(eventsOf(deliveries))], {
      concurrency: 2
    })
    const byEndpoint = new Map(found.map((one) => [one.endpoint.id, one]))
    const byEvent = new Map(sentTable.readAll(events).map((event) => [event.id, event]))
    return claims.flatMap(({ claimToken, delivery }): ReadonlyArray<ClaimedDelivery> => {
      const { endpointId, eventId } = delivery
      const recipient = byEndpoint.get(endpointId)
      if (recipient === undefined) return []
      const event = byEvent.get(eventId)
      const body = event === undefined ? null : bodyOf(event)
      const claimed = { ...recipient, delivery, claimToken: formatToken({ endpointId, eventId, claimToken }), body }
      return [event === undefined || event.trace === null ? claimed : { ...claimed, trace: event.trace }]
    })
  })
}
