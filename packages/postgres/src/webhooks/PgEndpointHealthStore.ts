import type { OrganizationId } from "@agent-platform/kernel"
import { EndpointHealthStore, type EndpointId } from "@agent-platform/webhooks"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { healthTable, recipientTable } from "./endpointTable.ts"

/**
 * The columns that `saveHealth` writes, and the key of their endpoint. The status is read with the health and not written with it:
 * `PgEndpointStore` alone writes it, also where failures disable an endpoint.
 */
const savedTable = healthTable.omit("status")

type Keys = ReadonlyArray<{ readonly organizationId: OrganizationId; readonly endpointId: EndpointId }>

const keyArrays = (keys: Keys) => {
  const distinct = [...new Map(keys.map((key) => [key.endpointId, key])).values()]
  return {
    organizationIds: uuids(distinct.map((key) => key.organizationId)),
    ids: uuids(distinct.map((key) => key.endpointId))
  }
}

/**
 * Reads the endpoints with these ids, deleted ones included, each with the time since when it fails. For `claimDue`, whose deliveries
 * are about to be sent; it stands here because it looks endpoints up by the same keys as the store.
 */
export const recipientsOf = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(recipientTable.selected)
  return (keys: Keys) => {
    const { ids, organizationIds } = keyArrays(keys)
    return sql<Row>`
      select ${columns} from agent_platform.webhook_endpoint
      join unnest(${organizationIds}, ${ids}) as key (organization_id, id) using (organization_id, id)
    `.pipe(mapRows(recipientTable.readAll))
  }
}

/** The health of endpoints: in `webhook_endpoint` the columns `failing_since` and `dead_notice_at`, which nothing else writes. */
export const layer = layerSql(EndpointHealthStore)((sql) => {
  return {
    // In the order of ids, so that two that lock several cannot deadlock. A change of an endpoint waits for this lock, or this
    // statement waits for the change and then reads the changed endpoint.
    healthToChange: (keys) => {
      const { ids, organizationIds } = keyArrays(keys)
      return sql<Row>`
        select ${sql.literal(healthTable.selected)} from agent_platform.webhook_endpoint
        where (organization_id, id) in (select * from unnest(${organizationIds}, ${ids}))
        order by id for no key update
      `.pipe(mapRows(healthTable.readAll))
    },

    saveHealth: (changed) =>
      sql`
        update agent_platform.webhook_endpoint endpoint
        set failing_since = changed.failing_since, dead_notice_at = changed.dead_notice_at
        from (${savedTable.rowsOf(changed)}) as changed
        where endpoint.organization_id = changed.organization_id and endpoint.id = changed.id
      `.pipe(Effect.orDie, Effect.asVoid)
  }
})
