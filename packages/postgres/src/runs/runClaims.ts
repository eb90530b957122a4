import type { SqlClient } from "effect/sql"
import { type ClaimTable, fence } from "../claims.ts"

/** Runs are claimed while they run. */
export const runClaims: ClaimTable = { name: "run", key: ["id"], lease: "lease_until" }

/** The token of a claimed run: `by`, the name of the claim, and the last digits of the run's id, which are random. */
export const runToken = (sql: SqlClient.SqlClient, by: string) =>
  sql`(${by}::text || right(replace(run.id::text, '-', ''), 16))::uuid`

/**
 * The fence of a run. It also checks the status: a queued run and one that has ended both have no claim, and only the queued one may
 * be written.
 */
export const runFence = (sql: SqlClient.SqlClient, given: string) =>
  sql`${fence(sql, runClaims, "run", given)} and run.status = case when ${sql.literal(given)}.claim_token is null then 'queued' else 'running' end`
