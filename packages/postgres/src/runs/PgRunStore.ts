import type { WorkspaceId } from "@agent-platform/kernel"
import { type RunId, RunStore } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readNullableTimestamp, texts, uuids } from "../columns.ts"
import { makeLookUp, type Placed } from "../makeLookUp.ts"
import type { Row } from "../table.ts"
import { claim } from "./claim.ts"
import { insertRuns } from "./insertRuns.ts"
import { listRuns } from "./listRuns.ts"
import { ofSession } from "./ofSession.ts"
import { recovery } from "./recovery.ts"
import { runTable } from "./runTable.ts"
import { hold, settle } from "./settle.ts"

interface RunLookUp {
  readonly workspaceId: WorkspaceId
  readonly id: RunId
}

/** Runs and their claims in the table `run`, which is the queue as well. */
export const layer: Layer.Layer<RunStore, never, SqlClient.SqlClient> = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(runTable.selected)
    const find = yield* makeLookUp(sql, {
      idOf: ({ id, workspaceId }: RunLookUp) => `${id} ${workspaceId}`,
      read: (keys) =>
        sql<Row & Placed>`
          select ${columns}, asked.place
          from unnest(${uuids(keys.map(({ id }) => id))}, ${uuids(keys.map(({ workspaceId }) => workspaceId))})
            with ordinality as asked (id, workspace_id, place)
          join run on run.id = asked.id and run.workspace_id = asked.workspace_id
        `,
      toFound: runTable.read
    })

    return RunStore.of({
      insert: insertRuns(sql),

      find: (workspaceId, id) => find({ workspaceId, id }),

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

      holdQueue: (workspaceId) =>
        sql`select pg_advisory_xact_lock(hashtextextended(${`run_queue:${workspaceId}`}, 0))`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),

      unfinishedAmong: (ids) =>
        sql<{ readonly id: string }>`
          select id::text from run
          where id::text = any(${texts(ids)}) and status in ('queued', 'running')
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => new Set(rows.map((row) => row.id)))
        ),

      claim: claim(sql),

      // A run that somebody is changing is passed over and renewed the next time: waiting for it would let the leases of all
      // the others run out.
      renew: (claimTokens, { leaseSeconds }) =>
        sql<{ readonly claim_token: string; readonly cancel_requested_at: Date | null }>`
          with free as (
            select id from run where status = 'running' and claim_token = any(${uuids(claimTokens)})
            for no key update skip locked
          ), renewed as (
            update run set lease_until = clock_timestamp() + ${leaseSeconds}::float8 * interval '1 second'
            from free where run.id = free.id
          )
          select claim_token, cancel_requested_at from run
          where status = 'running' and claim_token = any(${uuids(claimTokens)})
        `.pipe(
          Effect.orDie,
          Effect.map(
            (rows) => new Map(rows.map((row) => [row.claim_token, readNullableTimestamp(row.cancel_requested_at)]))
          )
        ),

      addUsage: (workspaceId, id, { costUsd, usage }) =>
        sql`
          update run set
            cost_usd = cost_usd + ${costUsd ?? "0"}::numeric, requests = requests + 1,
            input_tokens = input_tokens + ${usage.inputTokens}::bigint,
            cache_read_tokens = cache_read_tokens + ${usage.cacheReadTokens}::bigint,
            cache_write_tokens = cache_write_tokens + ${usage.cacheWriteTokens}::bigint,
            output_tokens = output_tokens + ${usage.outputTokens}::bigint,
            reasoning_tokens = reasoning_tokens + ${usage.reasoningTokens}::bigint
          where workspace_id = ${workspaceId} and id = ${id}
        `.pipe(Effect.orDie, Effect.asVoid),

      hold: hold(sql),
      settle: settle(sql),
      ...recovery(sql),
      ...ofSession(sql)
    })
  })
)
