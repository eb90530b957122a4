import { FingerprintKeyStore } from "@agent-platform/kernel"
import { Effect } from "effect"
import { layerSql } from "./layerSql.ts"
import { mapRows } from "./mapRows.ts"

/** The key of fingerprints in the one row of the table `fingerprint_key`. */
export const layer = layerSql(FingerprintKeyStore)((sql) => ({
  find: sql<{ readonly sealed_key: string }>`select sealed_key from agent_platform.fingerprint_key`.pipe(
    mapRows(([row]) => row?.sealed_key)
  ),

  insert: (sealed) =>
    sql`insert into agent_platform.fingerprint_key (sealed_key) values (${sealed}) on conflict do nothing`.pipe(
      Effect.orDie,
      Effect.asVoid
    ),

  replace: (sealed, resealed) =>
    sql`update agent_platform.fingerprint_key set sealed_key = ${resealed} where sealed_key = ${sealed} returning id`.pipe(
      mapRows((rows) => rows.length > 0)
    )
}))
