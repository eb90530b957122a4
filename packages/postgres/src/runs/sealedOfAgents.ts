import type { WorkspaceId } from "@agent-platform/kernel"
import { type AgentId, type AgentStore, endpointSecretPlace, mcpHeadersPlace } from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import { jsonb } from "../columns.ts"
import { mapRows } from "../mapRows.ts"

interface SealedRow {
  readonly workspace_id: WorkspaceId
  readonly id: AgentId
  readonly slot: string
  readonly sealed: string
}

const ENDPOINT = "endpoint"
const RETIRING = "retiring"
const SERVER = "server/"

const placeOf = ({ id, slot, workspace_id: workspaceId }: SealedRow): string =>
  slot === ENDPOINT || slot === RETIRING
    ? endpointSecretPlace({ id, workspaceId })
    : mcpHeadersPlace({ id, workspaceId }, { name: slot.slice(SERVER.length) })

/** The parts of a position: the agent's primary key, and its value (`slot`): `endpoint`, `retiring`, or `server/` and the server's name. */
const readPosition = (position: string) => {
  const [workspace = "", id = "", ...slot] = position.split("/")
  return { workspace, id, slot: slot.join("/") }
}

/** The condition for values after a position. */
const behind = (sql: SqlClient.SqlClient, after: string) => {
  const { id, slot, workspace } = readPosition(after)
  // The first comparison follows from the second, and is for the index, which has no slots.
  return sql`
    and (workspace_id, id) >= (${workspace}, ${id})
    and (workspace_id, id, slot collate "C") > (${workspace}, ${id}, ${slot})
  `
}

/** `AgentStore` for the sealed values of agents. */
export const sealedOfAgents = (
  sql: SqlClient.SqlClient
): Pick<AgentStore["Service"], "sealedSecrets" | "replaceSealedSecret"> => ({
  sealedSecrets: (after, limit) =>
    sql<SealedRow>`
      select workspace_id, id, slot, sealed
      from agent_platform.agent cross join lateral (
        select ${ENDPOINT}::text as slot, sealed_endpoint_secret as sealed
        union all
        select ${RETIRING}::text, sealed_retiring_endpoint_secret
        union all
        select ${SERVER}::text || (server ->> 'name'), server ->> 'sealedHeaders'
        from jsonb_array_elements(mcp_servers) as server
      ) as value
      where sealed is not null ${after === undefined ? sql.literal("") : behind(sql, after)}
      order by workspace_id, id, slot collate "C" limit ${limit}
    `.pipe(
      mapRows((rows) =>
        rows.map((row) => ({
          position: `${row.workspace_id}/${row.id}/${row.slot}`,
          place: placeOf(row),
          sealed: row.sealed
        }))
      )
    ),

  replaceSealedSecret: (value, resealed) => {
    const { id, slot, workspace } = readPosition(value.position)
    const name = slot.slice(SERVER.length)
    // Each is one statement, so that after a wait for another change it reads and rebuilds the changed row.
    const column = slot === ENDPOINT ? "sealed_endpoint_secret" : "sealed_retiring_endpoint_secret"
    const replaced =
      slot === ENDPOINT || slot === RETIRING
        ? sql`
          update agent_platform.agent set ${sql.literal(column)} = ${resealed}
          where workspace_id = ${workspace} and id = ${id} and ${sql.literal(column)} = ${value.sealed}
          returning id
        `
        : sql`
          update agent_platform.agent set mcp_servers = (
            select jsonb_agg(
              case when server ->> 'name' = ${name}
                then jsonb_set(server, '{sealedHeaders}', to_jsonb(${resealed}::text))
                else server
              end
              order by position
            )
            from jsonb_array_elements(mcp_servers) with ordinality as each (server, position)
          )
          where workspace_id = ${workspace} and id = ${id}
            and mcp_servers @> ${jsonb([{ name, sealedHeaders: value.sealed }])}
          returning id
        `
    return replaced.pipe(mapRows((rows) => rows.length > 0))
  }
})
