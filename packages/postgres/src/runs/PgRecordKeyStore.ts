import { type RecordKey, RecordKeyStore, recordKeyPlace } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { nullableTimestamp, readNullableTimestamp, readTimestamp, timestamp } from "../columns.ts"

interface RecordKeyRow {
  readonly id: string
  readonly public_key: string
  readonly sealed_private_key: string
  readonly created_at: Date
  readonly retired_at: Date | null
}

const toRecordKey = (row: RecordKeyRow): RecordKey => ({
  id: row.id,
  publicKey: row.public_key,
  sealedPrivateKey: row.sealed_private_key,
  createdAt: readTimestamp(row.created_at),
  retiredAt: readNullableTimestamp(row.retired_at)
})

/** Keys for records in the table `record_key`. */
export const layer: Layer.Layer<RecordKeyStore, never, SqlClient.SqlClient> = Layer.effect(
  RecordKeyStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal("id, public_key, sealed_private_key, created_at, retired_at")
    return RecordKeyStore.of({
      current: sql<RecordKeyRow>`select ${columns} from record_key where retired_at is null`.pipe(
        Effect.orDie,
        Effect.map(([row]) => row && toRecordKey(row))
      ),

      list: sql<RecordKeyRow>`select ${columns} from record_key order by created_at desc, id`.pipe(
        Effect.orDie,
        Effect.map((rows) => rows.map(toRecordKey))
      ),

      hold: sql`select pg_advisory_xact_lock(hashtextextended('record_key', 0))`.pipe(Effect.orDie, Effect.asVoid),

      insert: (key) =>
        sql`update record_key set retired_at = ${timestamp(key.createdAt)} where retired_at is null`.pipe(
          Effect.andThen(sql`
            insert into record_key (id, public_key, sealed_private_key, created_at, retired_at)
            values (
              ${key.id}, ${key.publicKey}, ${key.sealedPrivateKey}, ${timestamp(key.createdAt)},
              ${nullableTimestamp(key.retiredAt)}
            )
          `),
          Effect.orDie,
          Effect.asVoid
        ),

      sealedPrivateKeys: (after, limit) =>
        sql<Pick<RecordKeyRow, "id" | "sealed_private_key">>`
          select id, sealed_private_key from record_key
          ${after === undefined ? sql.literal("") : sql`where id > ${after}`}
          order by id limit ${limit}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) =>
            rows.map((row) => ({ position: row.id, place: recordKeyPlace(row), sealed: row.sealed_private_key }))
          )
        ),

      replaceSealedPrivateKey: (value, resealed) =>
        sql`
          update record_key set sealed_private_key = ${resealed}
          where id = ${value.position} and sealed_private_key = ${value.sealed}
          returning id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        )
    })
  })
)
