import type { OrganizationId } from "@agent-platform/kernel"
import { type EndpointHealth, EndpointHealthStore, type EndpointId, type Recipient } from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readNullableTimestamp, timestamps, uuids } from "../columns.ts"
import { ENDPOINT_COLUMNS, type EndpointRow, toEndpoint } from "./endpointRow.ts"

interface RecipientRow extends EndpointRow {
  readonly failing_since: Date | null
}

const toRecipient = (row: RecipientRow): Recipient => ({
  endpoint: toEndpoint(row),
  failingSince: readNullableTimestamp(row.failing_since)
})

interface HealthRow {
  readonly organization_id: OrganizationId
  readonly id: EndpointId
  readonly status: EndpointHealth["status"]
  readonly failing_since: Date | null
  readonly dead_notice_at: Date | null
}

const toHealth = (row: HealthRow): EndpointHealth => ({
  organizationId: row.organization_id,
  endpointId: row.id,
  status: row.status,
  failingSince: readNullableTimestamp(row.failing_since),
  deadNoticeAt: readNullableTimestamp(row.dead_notice_at)
})

type Keys = ReadonlyArray<{ readonly organizationId: OrganizationId; readonly endpointId: EndpointId }>

const keyArrays = (keys: Keys) => {
  const distinct = [...new Map(keys.map((key) => [key.endpointId, key])).values()]
  return {
    organizationIds: uuids(distinct.map((key) => key.organizationId)),
    ids: uuids(distinct.map((key) => key.endpointId))
  }
}

/** Reads the endpoints with these ids, deleted ones included, and how they stand. */
export const recipientsOf = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(ENDPOINT_COLUMNS.map((name) => `endpoint.${name}`).join(", "))
  return (keys: Keys) => {
    const { ids, organizationIds } = keyArrays(keys)
    return sql<RecipientRow>`
      select ${columns}, endpoint.failing_since from webhook_endpoint endpoint
      join unnest(${organizationIds}, ${ids}) as key (organization_id, id) using (organization_id, id)
    `.pipe(
      Effect.orDie,
      Effect.map((rows) => rows.map(toRecipient))
    )
  }
}

/** How endpoints stand, in columns of `webhook_endpoint` that nothing else writes. */
export const layer: Layer.Layer<EndpointHealthStore, never, SqlClient.SqlClient> = Layer.effect(
  EndpointHealthStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(ENDPOINT_COLUMNS.join(", "))
    return EndpointHealthStore.of({
      recipients: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<RecipientRow>`
            select ${columns}, failing_since from webhook_endpoint
            where organization_id = any(array(select organization_id from event where id = any(${uuids(ids)})))
              and status <> 'deleted'
          `.pipe(
              Effect.orDie,
              Effect.map((rows) => rows.map(toRecipient))
            ),

      // In the order of ids, so that two who hold several wait for each other and never both. A change of an endpoint
      // waits for this lock or makes this statement wait, which then sees the endpoint as it was left.
      healthToChange: (keys) => {
        const { ids, organizationIds } = keyArrays(keys)
        return sql<HealthRow>`
        select organization_id, id, status, failing_since, dead_notice_at from webhook_endpoint
        where (organization_id, id) in (select * from unnest(${organizationIds}, ${ids}))
        order by id for no key update
      `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toHealth))
        )
      },

      saveHealth: (changed) =>
        sql`
        update webhook_endpoint endpoint
        set failing_since = changed.failing_since, dead_notice_at = changed.dead_notice_at
        from unnest(
          ${uuids(changed.map((one) => one.organizationId))}, ${uuids(changed.map((one) => one.endpointId))},
          ${timestamps(changed.map((one) => one.failingSince))}, ${timestamps(changed.map((one) => one.deadNoticeAt))}
        ) as changed (organization_id, id, failing_since, dead_notice_at)
        where endpoint.organization_id = changed.organization_id and endpoint.id = changed.id
      `.pipe(Effect.orDie, Effect.asVoid)
    })
  })
)
