import type { ClaimedDelivery, DeliveryStore, EndpointId } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { integers, uuids } from "../columns.ts"
import { claimToken } from "./claims.ts"
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from "./deliveryRow.ts"
import { recipientsOf } from "./endpointHealth.ts"

/**
 * A claim of so many looks at that many times as many of the oldest due rows, and at least at so many: ranking 1,024 of
 * 50,000 costs 1.5 ms, all of them 70. A longer queue at one endpoint hides what is due later at others only until that
 * endpoint's lane is full and left out.
 */
const LOOKED_AT_PER_TAKEN = 8
const LOOKED_AT_MIN = 1024

/** Candidates beyond those that are taken, for the rows that other workers are claiming at this moment. */
const CANDIDATES_PER_TAKEN = 4

interface ClaimedRow extends DeliveryRow {
  readonly claim_token: string
}

interface ClaimedEvent {
  readonly id: string
  readonly body: string
  readonly trace: string | null
}

/**
 * `DeliveryStore.claimDue`. `due` ranks rows within their endpoint and their organization and cannot lock them, so `picked`
 * asks again, on the rows as they are once locked, what another claim may have changed meanwhile. What the claimed rows
 * refer to is read afterwards: whatever is missing there, a claimed row is answered.
 */
export const claimDue = (sql: SqlClient.SqlClient): DeliveryStore["Service"]["claimDue"] => {
  const columns = sql.literal(DELIVERY_COLUMNS.map((name) => `claimed.${name}`).join(", "))
  const recipients = recipientsOf(sql)

  const claim = (room: Parameters<DeliveryStore["Service"]["claimDue"]>[0]) => {
    const { leaseSeconds, max, perEndpoint, perOrganization, rooms } = room
    const full: Array<EndpointId> = []
    const narrow: Array<readonly [EndpointId, number]> = []
    for (const [id, left] of rooms) {
      if (left <= 0) full.push(id)
      else narrow.push([id, left])
    }
    return sql<ClaimedRow>`
      with oldest as materialized (
        select endpoint_id, event_id, organization_id, due_at from webhook_delivery
        where state = 'pending' and due_at <= now() and endpoint_id <> all(${uuids(full)})
        order by due_at limit ${Math.max(LOOKED_AT_MIN, max * LOOKED_AT_PER_TAKEN)}
      ), lane as (
        select * from unnest(
          ${uuids(narrow.map(([id]) => id))}, ${integers(narrow.map(([, left]) => left))}
        ) as lane (endpoint_id, room)
      ), fitting as (
        select endpoint_id, event_id, due_at,
          row_number() over (partition by organization_id order by due_at, event_id) as place_in_organization
        from (
          select *, row_number() over (partition by endpoint_id order by due_at, event_id) as place from oldest
        ) as ranked left join lane using (endpoint_id)
        where place <= coalesce(room, ${perEndpoint})
      ), due as materialized (
        select endpoint_id, event_id, due_at from fitting where place_in_organization <= ${perOrganization}
        order by due_at, event_id limit ${max * CANDIDATES_PER_TAKEN}
      ), picked as materialized (
        select delivery.endpoint_id, delivery.event_id
        from due join webhook_delivery delivery using (endpoint_id, event_id)
        where delivery.state = 'pending' and delivery.due_at <= now()
        order by due.due_at, due.event_id limit ${max}
        for update of delivery skip locked
      ), claimed as (
        update webhook_delivery delivery
        set due_at = now() + ${leaseSeconds}::float8 * interval '1 second', claim_token = gen_random_uuid()
        from picked
        where delivery.endpoint_id = picked.endpoint_id and delivery.event_id = picked.event_id
        returning delivery.*
      )
      select ${columns}, claimed.claim_token from claimed order by claimed.next_attempt_at, claimed.event_id
    `
  }

  const bodies = (rows: ReadonlyArray<ClaimedRow>) => sql<ClaimedEvent>`
    select id, body, trace from event where id = any(${uuids([...new Set(rows.map((row) => row.event_id))])})
  `

  return Effect.fnUntraced(function* (room) {
    const rows = yield* Effect.orDie(claim(room))
    if (rows.length === 0) return []
    const [found, events] = yield* Effect.all(
      [
        recipients(rows.map((row) => ({ organizationId: row.organization_id, endpointId: row.endpoint_id }))),
        Effect.orDie(bodies(rows))
      ],
      { concurrency: 2 }
    )
    const byEndpoint = new Map(found.map((one) => [one.endpoint.id, one]))
    const byEvent = new Map(events.map((event) => [event.id, event]))
    return rows.flatMap((row): ReadonlyArray<ClaimedDelivery> => {
      const recipient = byEndpoint.get(row.endpoint_id)
      if (recipient === undefined) return []
      const token = claimToken(row.endpoint_id, row.event_id, row.claim_token)
      const { body = null, trace = null } = byEvent.get(row.event_id) ?? {}
      const claimed = { ...recipient, delivery: toDelivery(row), claimToken: token, body }
      return [trace === null ? claimed : { ...claimed, trace }]
    })
  })
}
