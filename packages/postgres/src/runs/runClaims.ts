import type { SqlClient } from "effect/sql"
import { type ClaimTable, fence } from "../claims.ts"

/** Runs are claimed while they run. */
export const runClaims: ClaimTable = { name: "run", key: ["id"], lease: "lease_until" }

/** The token of a claimed run: who claims, and the end of the run's id, which is random. */
export const runToken = (sql: SqlClient.SqlClient, by: string) =>
  sql`(${by}::text || right(replace(run.id::text, '-', ''), 16))::uuid`

/** The fence of a run: one without a claim is written only while it is queued, and not once it has ended. */
export const runFence = (sql: SqlClient.SqlClient, given: string) =>
  sql`${fence(sql, runClaims, "run", given)} and run.status = case when ${sql.literal(given)}.claim_token is null then 'queued' else 'running' end`
