import { RecordKeyStore, recordKeyPlace } from "@agent-platform/runs"
import { Effect } from "effect"
import { timestamp } from "../columns.ts"
import { holdName } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { recordKeyTable } from "./recordKeyTable.ts"

/** Keys for records in the table `record_key`. */
export const layer = layerSql(RecordKeyStore)((sql) => {
  const columns = sql.literal(recordKeyTable.selected)
  return {
    current: sql<Row>`select ${columns} from agent_platform.record_key where retired_at is null`.pipe(
      mapRows(recordKeyTable.readFirst)
    ),

    list: sql<Row>`select ${columns} from agent_platform.record_key order by created_at desc, id`.pipe(
      mapRows(recordKeyTable.readAll)
    ),

    hold: holdName(sql, "record_key"),

    insert: (key) =>
      sql`update agent_platform.record_key set retired_at = ${timestamp(key.createdAt)} where retired_at is null`.pipe(
        Effect.andThen(sql`
            insert into agent_platform.record_key (${sql.literal(recordKeyTable.names)}) ${recordKeyTable.rowsOf([key])}
          `),
        Effect.orDie,
        Effect.asVoid
      ),

    sealedPrivateKeys: (after, limit) =>
      sql<{ readonly id: string; readonly sealed_private_key: string }>`
          select id, sealed_private_key from agent_platform.record_key
          ${after === undefined ? sql.literal("") : sql`where id > ${after}`}
          order by id limit ${limit}
        `.pipe(
        mapRows((rows) =>
          rows.map((row) => ({ position: row.id, place: recordKeyPlace(row), sealed: row.sealed_private_key }))
        )
      ),

    replaceSealedPrivateKey: (value, resealed) =>
      sql`
          update agent_platform.record_key set sealed_private_key = ${resealed}
          where id = ${value.position} and sealed_private_key = ${value.sealed}
          returning id
        `.pipe(mapRows((rows) => rows.length > 0))
  }
})
