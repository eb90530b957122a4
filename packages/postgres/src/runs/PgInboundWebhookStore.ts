import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import {
  type AgentId,
  type InboundWebhook,
  InboundWebhookStore,
  type Verification,
  webhookSecretPlace
} from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jsonb, nullableTimestamp, readNullableTimestamp, readTimestamp, timestamp, uuids } from "../columns.ts"

interface WebhookRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId
  readonly agent_id: AgentId
  readonly token_hash: string
  readonly verification: Verification
  readonly sealed_secret: string | null
  readonly map: Readonly<Record<string, string>> | null
  readonly created_at: Date
  readonly last_received_at: Date | null
  readonly deleted_at: Date | null
}

const COLUMNS =
  "organization_id, workspace_id, agent_id, token_hash, verification, sealed_secret, map, created_at, last_received_at, " +
  "deleted_at"

const toWebhook = (row: WebhookRow): InboundWebhook => ({
  agentId: row.agent_id,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  tokenHash: row.token_hash,
  verification: row.verification,
  sealedSecret: row.sealed_secret,
  map: row.map,
  createdAt: readTimestamp(row.created_at),
  lastReceivedAt: readNullableTimestamp(row.last_received_at),
  deletedAt: readNullableTimestamp(row.deleted_at)
})

/** Inbound webhooks in the table `agent_webhook`. */
export const layer: Layer.Layer<InboundWebhookStore, never, SqlClient.SqlClient> = Layer.effect(
  InboundWebhookStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(COLUMNS)
    const one = ([row]: ReadonlyArray<WebhookRow>): InboundWebhook | undefined => row && toWebhook(row)
    return InboundWebhookStore.of({
      put: (webhook) =>
        sql`
          insert into agent_webhook (${columns}) values (
            ${webhook.organizationId}, ${webhook.workspaceId}, ${webhook.agentId}, ${webhook.tokenHash},
            ${webhook.verification}, ${webhook.sealedSecret}, ${webhook.map === null ? null : jsonb(webhook.map)},
            ${timestamp(webhook.createdAt)}, ${nullableTimestamp(webhook.lastReceivedAt)},
            ${nullableTimestamp(webhook.deletedAt)}
          )
          on conflict (workspace_id, agent_id) do update set
            token_hash = excluded.token_hash, verification = excluded.verification,
            sealed_secret = excluded.sealed_secret, map = excluded.map, created_at = excluded.created_at,
            last_received_at = excluded.last_received_at, deleted_at = excluded.deleted_at
        `.pipe(Effect.orDie, Effect.asVoid),

      ofAgents: (workspaceId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : sql<WebhookRow>`
          select ${columns} from agent_webhook where workspace_id = ${workspaceId} and agent_id = any(${uuids(ids)})
        `.pipe(
              Effect.orDie,
              Effect.map((rows) => rows.map(toWebhook))
            ),

      findByToken: (agentId, tokenHash) =>
        sql<WebhookRow>`
          select ${columns} from agent_webhook
          where agent_id = ${agentId} and token_hash = ${tokenHash} and deleted_at is null
        `.pipe(Effect.orDie, Effect.map(one)),

      // Shared: what several senders bring at once does not queue up, and who replaces or deletes it waits for them.
      holdByToken: (agentId, tokenHash) =>
        sql<WebhookRow>`
          select ${columns} from agent_webhook
          where agent_id = ${agentId} and token_hash = ${tokenHash} and deleted_at is null for share
        `.pipe(Effect.orDie, Effect.map(one)),

      received: (agentId, tokenHash, at) =>
        sql`
          update agent_webhook set last_received_at = ${timestamp(at)}
          where agent_id = ${agentId} and token_hash = ${tokenHash}
            and (last_received_at is null or last_received_at < ${timestamp(at)})
        `.pipe(Effect.orDie, Effect.asVoid),

      // A position is the primary key, workspace and agent.
      sealedSecrets: (after, limit) => {
        const [workspace = "", agent = ""] = after?.split("/") ?? []
        return sql<Pick<WebhookRow, "workspace_id" | "agent_id"> & { readonly sealed_secret: string }>`
          select workspace_id, agent_id, sealed_secret from agent_webhook
          where sealed_secret is not null and deleted_at is null
            ${after === undefined ? sql.literal("") : sql`and (workspace_id, agent_id) > (${workspace}, ${agent})`}
          order by workspace_id, agent_id limit ${limit}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) =>
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
          update agent_webhook set sealed_secret = ${resealed}
          where workspace_id = ${workspace} and agent_id = ${agent} and sealed_secret = ${value.sealed}
            and deleted_at is null
          returning agent_id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        )
      }
    })
  })
)
