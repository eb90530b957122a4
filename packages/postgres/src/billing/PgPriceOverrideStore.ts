import { type PriceOverride, PriceOverrideStore } from "@agent-platform/billing"
import { Effect } from "effect"
import { timestamp } from "../columns.ts"
import { money, nullable, text, timestamptz, uuid } from "../columnTypes.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import { makeTable, nullableGroup, type Row } from "../table.ts"

const priceTable = makeTable<PriceOverride>("price_override", {
  id: uuid(),
  scope: nullableGroup("", { organizationId: uuid(), workspaceId: uuid() }),
  provider: text(),
  model: text(),
  inputUsd: money(),
  cacheReadUsd: nullable(money()),
  cacheWriteUsd: nullable(money()),
  outputUsd: money(),
  effectiveFrom: timestamptz(),
  createdAt: timestamptz()
})

/** Prices in the table `price_override`. */
export const layer = layerSql(PriceOverrideStore)((sql) => {
  const columns = sql.literal(priceTable.selected)
  return {
    insert: (one) =>
      sql`
          insert into agent_platform.price_override (${sql.literal(priceTable.names)}) ${priceTable.rowsOf([one])}
        `.pipe(Effect.orDie, Effect.asVoid),

    remove: (id, at) =>
      sql<Row>`
          update agent_platform.price_override set removed_at = ${timestamp(at)} where id = ${id} and removed_at is null
          returning ${columns}
        `.pipe(mapRows(priceTable.readFirst)),

    findFor: (workspaceId, provider, model) =>
      sql<Row>`
          select ${columns} from agent_platform.price_override
          where provider = ${provider} and model = ${model} and removed_at is null
            and (workspace_id is null or workspace_id = ${workspaceId})
        `.pipe(mapRows(priceTable.readAll)),

    list: (workspaceId) =>
      sql<Row>`
          select ${columns} from agent_platform.price_override
          where workspace_id is not distinct from ${workspaceId}::uuid and removed_at is null
          order by provider collate "C", model collate "C", effective_from, id
        `.pipe(mapRows(priceTable.readAll))
  }
})
