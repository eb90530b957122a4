import { type PriceOverride, type PriceOverrideId, PriceOverrideStore } from "@agent-platform/billing"
import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readTimestamp, timestamp } from "../columns.ts"
import { readMoney, readNullableMoney } from "../money.ts"

interface Row {
  readonly id: PriceOverrideId
  readonly organization_id: OrganizationId | null
  readonly workspace_id: WorkspaceId | null
  readonly provider: string
  readonly model: string
  readonly input_usd: string
  readonly cache_read_usd: string | null
  readonly cache_write_usd: string | null
  readonly output_usd: string
  readonly effective_from: Date
  readonly created_at: Date
}

const COLUMNS = `id, organization_id, workspace_id, provider, model, input_usd, cache_read_usd, cache_write_usd,
  output_usd, effective_from, created_at`

const toOverride = (row: Row): PriceOverride => ({
  id: row.id,
  scope:
    row.organization_id === null || row.workspace_id === null
      ? null
      : { organizationId: row.organization_id, workspaceId: row.workspace_id },
  provider: row.provider,
  model: row.model,
  inputUsd: readMoney(row.input_usd),
  cacheReadUsd: readNullableMoney(row.cache_read_usd),
  cacheWriteUsd: readNullableMoney(row.cache_write_usd),
  outputUsd: readMoney(row.output_usd),
  effectiveFrom: readTimestamp(row.effective_from),
  createdAt: readTimestamp(row.created_at)
})

/** Prices in the table `price_override`. */
export const layer: Layer.Layer<PriceOverrideStore, never, SqlClient.SqlClient> = Layer.effect(
  PriceOverrideStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(COLUMNS)
    return PriceOverrideStore.of({
      insert: (one) =>
        sql`
          insert into price_override ${sql.insert({
            id: one.id,
            organization_id: one.scope?.organizationId ?? null,
            workspace_id: one.scope?.workspaceId ?? null,
            provider: one.provider,
            model: one.model,
            input_usd: one.inputUsd,
            cache_read_usd: one.cacheReadUsd,
            cache_write_usd: one.cacheWriteUsd,
            output_usd: one.outputUsd,
            effective_from: timestamp(one.effectiveFrom),
            created_at: timestamp(one.createdAt)
          })}
        `.pipe(Effect.orDie, Effect.asVoid),

      remove: (id, at) =>
        sql<Row>`
          update price_override set removed_at = ${timestamp(at)} where id = ${id} and removed_at is null
          returning ${columns}
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toOverride(row))
        ),

      findFor: (workspaceId, provider, model) =>
        sql<Row>`
          select ${columns} from price_override
          where provider = ${provider} and model = ${model} and removed_at is null
            and (workspace_id is null or workspace_id = ${workspaceId})
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toOverride))
        ),

      list: (workspaceId) =>
        sql<Row>`
          select ${columns} from price_override
          where workspace_id is not distinct from ${workspaceId}::uuid and removed_at is null
          order by provider collate "C", model collate "C", effective_from, id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toOverride))
        )
    })
  })
)
