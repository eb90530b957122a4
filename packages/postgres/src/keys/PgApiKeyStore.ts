import { type OrganizationId, toPage, type WorkspaceId } from "@agent-platform/kernel"
import { type ApiKey, type ApiKeyId, ApiKeyStore, type KeyKind, type KeyOwner, type Scope } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { jsonb, nullableTimestamp, readNullableTimestamp, readTimestamp, texts, timestamp } from "../columns.ts"

interface ApiKeyRow {
  readonly organization_id: OrganizationId
  readonly workspace_id: WorkspaceId | null
  readonly id: ApiKeyId
  readonly kind: KeyKind
  readonly name: string
  readonly hint: string
  readonly scopes: ReadonlyArray<Scope>
  readonly metadata: Readonly<Record<string, string>>
  readonly disabled: boolean
  readonly version: number
  readonly created_at: Date
  readonly created_by_type: string
  readonly created_by_id: string
  readonly created_by_label: string
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
}

const COLUMNS = `api_key.organization_id, api_key.workspace_id, api_key.id, api_key.kind, api_key.name, api_key.hint,
  api_key.scopes, api_key.metadata, api_key.disabled, api_key.version, api_key.created_at, api_key.created_by_type,
  api_key.created_by_id, api_key.created_by_label, api_key.expires_at, api_key.revoked_at, api_key.last_used_at`

const toApiKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  kind: row.kind,
  organizationId: row.organization_id,
  workspaceId: row.workspace_id,
  name: row.name,
  hint: row.hint,
  scopes: row.scopes,
  metadata: row.metadata,
  disabled: row.disabled,
  version: row.version,
  createdAt: readTimestamp(row.created_at),
  createdBy: { type: row.created_by_type, id: row.created_by_id, label: row.created_by_label },
  expiresAt: readNullableTimestamp(row.expires_at),
  revokedAt: readNullableTimestamp(row.revoked_at),
  lastUsedAt: readNullableTimestamp(row.last_used_at)
})

/** API keys in the table `api_key`. */
export const layer: Layer.Layer<ApiKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  ApiKeyStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(COLUMNS)
    // `is not distinct from` would say both in one, but no index answers it.
    const isOf = (owner: KeyOwner) =>
      owner.workspaceId === null
        ? sql`organization_id = ${owner.organizationId} and workspace_id is null`
        : sql`organization_id = ${owner.organizationId} and workspace_id = ${owner.workspaceId}`

    return ApiKeyStore.of({
      insert: (key, hash) =>
        sql`
          insert into api_key (
            organization_id, workspace_id, id, kind, name, hash, hint, scopes, metadata, disabled, version, created_at,
            created_by_type, created_by_id, created_by_label, expires_at, revoked_at, last_used_at
          ) values (
            ${key.organizationId}, ${key.workspaceId}, ${key.id}, ${key.kind}, ${key.name}, ${hash}, ${key.hint},
            ${texts(key.scopes)}, ${jsonb(key.metadata)}, ${key.disabled}, ${key.version}, ${timestamp(key.createdAt)},
            ${key.createdBy.type}, ${key.createdBy.id}, ${key.createdBy.label}, ${nullableTimestamp(key.expiresAt)},
            ${nullableTimestamp(key.revokedAt)}, ${nullableTimestamp(key.lastUsedAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),

      findByHash: (hash, workspaceId) =>
        sql<ApiKeyRow & { readonly workspace_found: boolean }>`
          select ${columns}, workspace.id is not null as workspace_found
          from api_key
          left join workspace on workspace.organization_id = api_key.organization_id
            and workspace.id = ${workspaceId ?? null}::uuid
          where api_key.hash = ${hash}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && { key: toApiKey(row), workspaceFound: row.workspace_found })
        ),

      find: (owner, id) =>
        sql<ApiKeyRow>`select ${columns} from api_key where ${isOf(owner)} and id = ${id}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toApiKey(row))
        ),

      list: (owner, page) =>
        sql<ApiKeyRow>`
          select ${columns} from api_key
          where ${isOf(owner)} ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toApiKey), page.limit, (key) => key.id))
        ),

      revoke: (owner, id, at) =>
        sql<ApiKeyRow>`
          update api_key set
            version = case when revoked_at is null then version + 1 else version end,
            revoked_at = coalesce(revoked_at, ${timestamp(at)})
          where ${isOf(owner)} and id = ${id}
          returning ${columns}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toApiKey(row))
        )
    })
  })
)
