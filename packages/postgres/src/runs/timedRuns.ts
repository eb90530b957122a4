import type { RunQueue } from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { runTable } from "./runTable.ts"

/** Most runs that come due in one statement. */
const WOKEN_AT_ONCE = 1_000

/** More runs than one claiming of a worker can have taken. */
const CLAIMED_MAX = 1_000

type Store = RunQueue["Service"]

/**
 * The part of `RunQueue` that finds runs whose time has come by the clock of Postgres: lapsed leases, expired waiting, overdue
 * cancellations, due times. It decides nothing about them: `recoverRuns` takes what is found here to `Run`. Those that are to be
 * settled are locked together with their sessions, which settling needs; rows that are locked already are skipped, so that nothing
 * waits here.
 */
export const timedRuns = (
  sql: SqlClient.SqlClient
): Pick<Store, "claimedBy" | "lapsed" | "expired" | "overdue" | "wakeScheduled"> => {
  /** Locks runs and their sessions; `which` is the condition, and the order if there is one. */
  const held = (which: Fragment, max: number) =>
    sql<Row & { readonly claim_token: string | null }>`
      select ${sql.literal(runTable.selected)}, run.claim_token
      from agent_platform.run join agent_platform.session on session.workspace_id = run.workspace_id and session.id = run.session_id
      where ${which} limit ${max}
      for no key update of session, run skip locked
    `.pipe(mapRows((rows) => rows.map((row) => ({ run: runTable.read(row), claimToken: row.claim_token }))))

  return {
    // All tokens that begin with `by` are a range of the index of claims.
    claimedBy: (by) =>
      held(
        sql`run.status = 'running' and run.claim_token
          between ${by.padEnd(32, "0")}::text::uuid and ${by.padEnd(32, "f")}::text::uuid`,
        CLAIMED_MAX
      ),

    lapsed: ({ max }) => held(sql`run.status = 'running' and run.lease_until <= now() order by run.lease_until`, max),

    // A run that has begun may wait again, and then for as long as it takes.
    expired: ({ max }) =>
      held(sql`run.status = 'queued' and run.expires_at <= now() and run.attempt = 0 order by run.expires_at`, max),

    overdue: ({ graceSeconds, max }) =>
      held(
        sql`run.status = 'running' and run.cancel_requested_at <= now() - ${graceSeconds}::float8 * interval '1 second'
          order by run.cancel_requested_at`,
        max
      ),

    wakeScheduled: sql<{ readonly woken: number }>`
      with due as (
        select id from agent_platform.run
        where due_at is not null and not ready and due_at <= now()
        order by due_at limit ${WOKEN_AT_ONCE}
        for no key update skip locked
      ), woken as (
        update agent_platform.run set ready = true from due where run.id = due.id returning 1
      )
      select count(*)::int as woken from woken
    `.pipe(mapRows(([row]) => row?.woken ?? 0))
  }
}
