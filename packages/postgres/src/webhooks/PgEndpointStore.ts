import { toPage, type WorkspaceId } from "@agent-platform/kernel"
import { EndpointStore } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { uuids } from "../columns.ts"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { endpointSecrets } from "./endpointSecrets.ts"
import { endpointTable } from "./endpointTable.ts"

/** The columns that a change of an endpoint may write. */
const changeable = endpointTable.omit("id", "organizationId", "createdAt")

/** Endpoints in the table `webhook_endpoint`. */
export const layer = layerSql(EndpointStore)((sql) => {
  const columns = sql.literal(endpointTable.selected)
  const findLocked = (lock: "" | "for share" | "for update"): EndpointStore["Service"]["find"] => {
    const locking = sql.literal(lock)
    return (organizationId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.webhook_endpoint where organization_id = ${organizationId} and id = ${id} ${locking}
        `.pipe(mapRows(endpointTable.readFirst))
  }
  return {
    hold: (organizationId) => holdName(sql, `webhook_endpoint:${organizationId}`),

    countActive: (organizationId) =>
      sql<{ readonly active: number }>`
          select count(*)::int as active from agent_platform.webhook_endpoint
          where organization_id = ${organizationId} and status = 'active'
        `.pipe(mapRows(([row]) => row?.active ?? 0)),

    countKept: (organizationId, max) =>
      sql<{ readonly kept: number }>`
          select count(*)::int as kept from (
            select from agent_platform.webhook_endpoint
            where organization_id = ${organizationId} and status <> 'deleted' limit ${max}
          ) as kept
        `.pipe(mapRows(([row]) => row?.kept ?? 0)),

    naming: (type, workspaces) =>
      sql<{ readonly workspace_id: WorkspaceId }>`
          select distinct asked.workspace_id
          from unnest(
            ${uuids(workspaces.map(({ organizationId }) => organizationId))},
            ${uuids(workspaces.map(({ workspaceId }) => workspaceId))}
          ) as asked (organization_id, workspace_id)
          join agent_platform.webhook_endpoint endpoint using (organization_id)
          where endpoint.status <> 'deleted' and ${type} = any(endpoint.event_types)
            and (endpoint.workspace_ids = '{}' or asked.workspace_id = any(endpoint.workspace_ids))
        `.pipe(mapRows((rows) => new Set(rows.map((row) => row.workspace_id)))),

    insert: (endpoint) =>
      sql`
          insert into agent_platform.webhook_endpoint (${sql.literal(endpointTable.names)}) ${endpointTable.rowsOf([endpoint])}
        `.pipe(Effect.orDie, Effect.asVoid),

    find: findLocked(""),
    findToAct: findLocked("for share"),
    findToChange: findLocked("for update"),

    replace: (endpoint) =>
      sql`
          update agent_platform.webhook_endpoint set ${sql.literal(changeable.assignedFrom("changed"))}
          from (${changeable.rowsOf([endpoint])}) as changed
          where organization_id = ${endpoint.organizationId} and id = ${endpoint.id}
        `.pipe(Effect.orDie, Effect.asVoid),

    list: (organizationId, page, { includeDeleted } = { includeDeleted: false }) =>
      sql<Row>`
          select ${columns} from agent_platform.webhook_endpoint
          where organization_id = ${organizationId} ${sql.literal(includeDeleted ? "" : "and status <> 'deleted'")}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(endpointTable.readAll(rows), page.limit, (endpoint) => endpoint.id))),

    ...endpointSecrets(sql)
  }
})
