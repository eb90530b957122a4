import type { WorkspaceId } from "@agent-platform/kernel"
import { type AgentId, InboundWebhookStore, webhookSecretPlace } from "@agent-platform/runs"
import { Effect } from "effect"
import { timestamp, uuids } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { inboundWebhookTable } from "./inboundWebhookTable.ts"

/** The columns that are overwritten when an agent gets another webhook. */
const replaceable = inboundWebhookTable.omit("organizationId", "workspaceId", "agentId")

/** The secret of a webhook, with the primary key of its row. */
interface SealedRow {
  readonly workspace_id: WorkspaceId
  readonly agent_id: AgentId
  readonly sealed_secret: string
}

/** Inbound webhooks in the table `agent_webhook`. */
export const layer = layerSql(InboundWebhookStore)((sql) => {
  const names = sql.literal(inboundWebhookTable.names)
  const columns = sql.literal(inboundWebhookTable.selected)
  return {
    put: (webhook) =>
      sql`
          insert into agent_platform.agent_webhook (${names}) ${inboundWebhookTable.rowsOf([webhook])}
          on conflict (workspace_id, agent_id) do update set ${sql.literal(replaceable.assignedFrom("excluded"))}
        `.pipe(Effect.orDie, Effect.asVoid),

    ofAgents: (workspaceId, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : sql<Row>`
          select ${columns} from agent_platform.agent_webhook where workspace_id = ${workspaceId} and agent_id = any(${uuids(ids)})
        `.pipe(mapRows(inboundWebhookTable.readAll)),

    findByToken: (agentId, tokenHash) =>
      sql<Row>`
          select ${columns} from agent_platform.agent_webhook
          where agent_id = ${agentId} and token_hash = ${tokenHash} and deleted_at is null
        `.pipe(mapRows(inboundWebhookTable.readFirst)),

    // A shared lock: concurrent senders do not wait for each other, and a replacement or deletion waits for all of them.
    holdByToken: (agentId, tokenHash) =>
      sql<Row>`
          select ${columns} from agent_platform.agent_webhook
          where agent_id = ${agentId} and token_hash = ${tokenHash} and deleted_at is null for share
        `.pipe(mapRows(inboundWebhookTable.readFirst)),

    noteReceived: (agentId, tokenHash, at) =>
      sql`
          update agent_platform.agent_webhook set last_received_at = ${timestamp(at)}
          where agent_id = ${agentId} and token_hash = ${tokenHash}
            and (last_received_at is null or last_received_at < ${timestamp(at)})
        `.pipe(Effect.orDie, Effect.asVoid),

    // A position is the primary key, workspace and agent.
    sealedSecrets: (after, limit) => {
      const [workspace = "", agent = ""] = after?.split("/") ?? []
      return sql<SealedRow>`
          select workspace_id, agent_id, sealed_secret from agent_platform.agent_webhook
          where sealed_secret is not null and deleted_at is null
            ${after === undefined ? sql.literal("") : sql`and (workspace_id, agent_id) > (${workspace}, ${agent})`}
          order by workspace_id, agent_id limit ${limit}
        `.pipe(
        mapRows((rows) =>
          rows.map((row) => ({
            position: `${row.workspace_id}/${row.agent_id}`,
            place: webhookSecretPlace({ workspaceId: row.workspace_id, agentId: row.agent_id }),
            sealed: row.sealed_secret
          }))
        )
      )
    },

    replaceSealedSecret: (value, resealed) => {
      const [workspace = "", agent = ""] = value.position.split("/")
      return sql`
          update agent_platform.agent_webhook set sealed_secret = ${resealed}
          where workspace_id = ${workspace} and agent_id = ${agent} and sealed_secret = ${value.sealed}
            and deleted_at is null
          returning agent_id
        `.pipe(mapRows((rows) => rows.length > 0))
    }
  }
})
