import { toPage } from "@agent-platform/kernel"
import { type ProviderKey, ProviderKeyStore } from "@agent-platform/keys"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { nullableTimestamp, texts, timestamp, timestamps, uuids } from "../columns.ts"
import { PROVIDER_KEY_COLUMNS, type ProviderKeyRow, toProviderKey, toSealedProviderKey } from "./providerKeyRow.ts"

const nullableTexts = (values: ReadonlyArray<string> | null) => (values === null ? null : texts(values))

/** Provider keys in the table `provider_key`. */
export const layer: Layer.Layer<ProviderKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  ProviderKeyStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(PROVIDER_KEY_COLUMNS.join(", "))

    /** Writes all that can change of a key but its last use; its value with it, for a revoked key has none. */
    const write = (key: ProviderKey, sealed: string | undefined) =>
      sql<ProviderKeyRow>`
        update provider_key set
          name = ${key.name}, hint = ${key.hint}, fingerprint = ${key.fingerprint}, status = ${key.status},
          limited_until = ${nullableTimestamp(key.limitedUntil)}, priority = ${key.priority},
          fallback = ${key.fallback}, allowed_models = ${nullableTexts(key.allowedModels)}::text[],
          version = ${key.version}, last_validated_at = ${nullableTimestamp(key.lastValidatedAt)},
          last_error_code = ${key.lastError?.code ?? null},
          last_error_provider_status = ${key.lastError?.providerStatus ?? null}::integer,
          last_error_provider_code = ${key.lastError?.providerCode ?? null},
          last_error_at = ${nullableTimestamp(key.lastError?.at ?? null)},
          revoked_at = ${nullableTimestamp(key.revokedAt)},
          sealed = case when ${key.status} = 'revoked' then null else coalesce(${sealed ?? null}::text, sealed) end
        where workspace_id = ${key.workspaceId} and id = ${key.id}
        returning ${columns}
      `

    return ProviderKeyStore.of({
      holdKeys: Effect.fnUntraced(function* (workspaceId) {
        yield* Effect.orDie(sql`select pg_advisory_xact_lock(hashtextextended(${`provider_keys:${workspaceId}`}, 0))`)
        const [row] = yield* Effect.orDie(sql<{ readonly count: number }>`
          select count(*)::int as count from provider_key where workspace_id = ${workspaceId} and status <> 'revoked'
        `)
        return row?.count ?? 0
      }),

      insert: (key, sealed) =>
        sql`
          insert into provider_key (${columns}) values (
            ${key.organizationId}, ${key.workspaceId}, ${key.id}, ${key.provider}, ${key.name}, ${key.hint},
            ${key.fingerprint}, ${sealed}, ${key.status}, ${nullableTimestamp(key.limitedUntil)}, ${key.priority},
            ${key.fallback}, ${nullableTexts(key.allowedModels)}::text[], ${key.baseUrl}, ${key.version},
            ${timestamp(key.createdAt)}, ${key.createdBy.type}, ${key.createdBy.id}, ${key.createdBy.label},
            ${nullableTimestamp(key.lastUsedAt)}, ${nullableTimestamp(key.lastValidatedAt)},
            ${key.lastError?.code ?? null}, ${key.lastError?.providerStatus ?? null}::integer,
            ${key.lastError?.providerCode ?? null}, ${nullableTimestamp(key.lastError?.at ?? null)},
            ${nullableTimestamp(key.revokedAt)}
          )
        `.pipe(Effect.orDie, Effect.asVoid),

      find: (workspaceId, id) =>
        sql<ProviderKeyRow>`
          select ${columns} from provider_key where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toProviderKey(row))
        ),

      findSealed: (workspaceId, id) =>
        sql<ProviderKeyRow>`
          select ${columns} from provider_key where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.flatMap(toSealedProviderKey)[0])
        ),

      list: (workspaceId, page) =>
        sql<ProviderKeyRow>`
          select ${columns} from provider_key
          where workspace_id = ${workspaceId}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toProviderKey), page.limit, (key) => key.id))
        ),

      ofProvider: (workspaceId, provider) =>
        sql<ProviderKeyRow>`
          select ${columns} from provider_key
          where workspace_id = ${workspaceId} and provider = ${provider} and status <> 'revoked'
          order by priority, id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.flatMap(toSealedProviderKey))
        ),

      update: Effect.fnUntraced(function* (workspaceId, id, change) {
        const [row] = yield* sql<ProviderKeyRow>`
          select ${columns} from provider_key where workspace_id = ${workspaceId} and id = ${id} for update
        `
        if (row === undefined) return undefined
        const before = toProviderKey(row)
        const changed = change(before)
        if (changed === undefined) return { before, after: before }
        const [after] = yield* write({ ...changed.key, workspaceId, id }, changed.sealed)
        return after && { before, after: toProviderKey(after) }
      }, Effect.orDie),

      // Locked in the order of their ids, so that two who note the same uses never wait for each other in a circle.
      markUsed: (uses) =>
        uses.length === 0
          ? Effect.void
          : sql`
          with used as (
            select provider_key.id, latest.used_at from provider_key
            join unnest(${uuids(uses.map(({ id }) => id))}, ${timestamps(uses.map(({ at }) => at))}) as latest (id, used_at)
              on latest.id = provider_key.id
            where provider_key.last_used_at is null or latest.used_at >= provider_key.last_used_at + interval '1 minute'
            order by provider_key.id for update of provider_key
          )
          update provider_key set last_used_at = used.used_at from used
          where provider_key.id = used.id
            and (last_used_at is null or used.used_at >= last_used_at + interval '1 minute')
        `.pipe(Effect.orDie, Effect.asVoid),

      everyKey: (after, limit) =>
        sql<ProviderKeyRow>`
          select ${columns} from provider_key
          where sealed is not null ${after === undefined ? sql.literal("") : sql`and id > ${after}`}
          order by id limit ${limit}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.flatMap(toSealedProviderKey))
        ),

      replaceSealed: (value, resealed) =>
        sql`
          update provider_key set sealed = ${resealed}
          where id = ${value.position} and sealed = ${value.sealed}
          returning id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        )
    })
  })
)
