import { RunStore } from "@agent-platform/runs"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { timestamp, uuids } from "../columns.ts"
import { AGENT_COLUMNS, type AgentRow, toAgent } from "./agentRow.ts"
import { listRuns } from "./listRuns.ts"
import { fromRun, RUN_COLUMNS, type RunRow, toRun } from "./runRow.ts"
import { settle } from "./settle.ts"

interface Claim {
  readonly claim_token: string
}

/** Runs and their claims in the table `run`. */
export const layer: Layer.Layer<RunStore, never, SqlClient.SqlClient> = Layer.effect(
  RunStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(RUN_COLUMNS)
    const agentColumns = sql.literal(AGENT_COLUMNS)
    const leaseEnd = (options: { readonly leaseSeconds: number; readonly now: DateTime.Utc }) =>
      timestamp(DateTime.add(options.now, { seconds: options.leaseSeconds }))

    return RunStore.of({
      insert: (run) => sql`insert into run ${sql.insert(fromRun(run))}`.pipe(Effect.orDie, Effect.asVoid),

      find: (workspaceId, id) =>
        sql<RunRow>`select ${columns} from run where id = ${id} and workspace_id = ${workspaceId}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toRun(row))
        ),

      list: listRuns(sql),

      countQueued: (workspaceId, limit) =>
        sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select 1 from run where workspace_id = ${workspaceId} and status = 'queued' limit ${limit}
          ) as queued
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.count ?? 0)
        ),

      isBusy: (sessionId) =>
        sql<{ readonly busy: boolean }>`
          select exists (
            select 1 from run where session_id = ${sessionId} and status in ('queued', 'running')
          ) as busy
        `.pipe(
          Effect.orDie,
          Effect.map(([row]) => row?.busy === true)
        ),

      // Sessions are held first, in a statement of its own, so that the second one sees what their last holder wrote: ids
      // come from the clocks of several processes, and a run with a younger id may be running. Whoever finds a run locked
      // leaves it to the holder of the lock, which is another claimer or its recovery.
      claim: Effect.fnUntraced(function* (ids, options) {
        if (ids.length === 0) return []
        const wanted = uuids([...new Set(ids)])
        const now = timestamp(options.now)
        yield* sql`
          select 1 from session
          where (workspace_id, id) in (select workspace_id, session_id from run where id = any(${wanted}))
          order by id for no key update
        `.pipe(Effect.orDie)
        const rows = yield* sql<RunRow & AgentRow & Claim>`
          with candidate as (
            select run.id from run
            where run.id = any(${wanted}) and run.status = 'queued'
              and (run.expires_at is null or run.expires_at > ${now})
              and not exists (
                select 1 from run as other
                where other.session_id = run.session_id
                  and (other.status = 'running' or (other.status = 'queued' and other.id < run.id))
              )
            order by run.id
            for no key update of run skip locked
          ), claimed as (
            update run set
              status = 'running', attempt = attempt + 1, started_at = coalesce(started_at, ${now}),
              claim_token = gen_random_uuid(), lease_until = ${leaseEnd(options)}
            from candidate where run.id = candidate.id
            returning run.*
          )
          select ${columns}, run.claim_token, ${agentColumns}
          from claimed as run
          join agent on agent.workspace_id = run.workspace_id and agent.id = run.agent_id
          order by run.id
        `.pipe(Effect.orDie)
        return rows.map((row) => ({ run: toRun(row), agent: toAgent(row), claimToken: row.claim_token }))
      }),

      renew: (claimTokens, options) =>
        sql<Claim>`
          update run set lease_until = ${leaseEnd(options)}
          where status = 'running' and claim_token = any(${uuids(claimTokens)})
          returning claim_token
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => new Set(rows.map((row) => row.claim_token)))
        ),

      settle: settle(sql),

      lapsed: (options) =>
        sql<RunRow & Claim>`
          select ${columns}, run.claim_token from run
          where status = 'running' and lease_until <= ${timestamp(options.now)}
          order by lease_until limit ${options.max}
          for no key update skip locked
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map((row) => ({ run: toRun(row), claimToken: row.claim_token })))
        ),

      expired: (options) =>
        sql<RunRow>`
          select ${columns} from run
          where status = 'queued' and expires_at <= ${timestamp(options.now)}
          order by expires_at limit ${options.max}
          for no key update skip locked
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.map(toRun))
        )
    })
  })
)
