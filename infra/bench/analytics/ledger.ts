/** A ledger of any size, made set by set in the database itself. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whose calls they are. */
export interface BenchOwner {
  readonly organizationId: string
  readonly workspaceId: string
  readonly agentId: string
}

/** Calls that a run makes. */
export const CALLS_OF_A_RUN = 10

/** The days that the calls lie in, up to now. */
export const DAYS = 30

/** Rows that one statement writes. */
const CHUNK = 500_000

const RUN_ID = "('01900000-0000-7000-8000-' || lpad(to_hex(run), 12, '0'))::uuid"

/** The id of a run by its number, from 0. */
export const runIdOf = (run: number): string => `01900000-0000-7000-8000-${run.toString(16).padStart(12, "0")}`

/**
 * Writes so many calls of one workspace, evenly over the days: ten a run, three agents, three models of as many providers, one
 * call in fifty without a known price. Runs are made only for the numbers given: nothing refers to the others.
 */
export const fillLedger = Effect.fnUntraced(function* (
  { agentId, organizationId, workspaceId }: BenchOwner,
  rows: number,
  runs: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  for (let from = 0; from < rows; from += CHUNK) {
    yield* sql.unsafe(
      `
      insert into agent_platform.model_call (
        organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider, request_model,
        response_model, key_source, key_id, status, finish_reason, called_at, started_at, duration_ms,
        time_to_first_token_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
        usage_source, cost_usd, reserved_usd, price_version, settled_at
      )
      select $1::uuid, $2::uuid,
        (substr(millis, 1, 8) || '-' || substr(millis, 9, 4) || '-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid,
        ${RUN_ID}, $3::uuid, (array[$3::uuid, $2::uuid, $1::uuid])[run % 3 + 1], number % ${CALLS_OF_A_RUN} + 1, 1,
        (array['openai', 'anthropic', 'gcp.gemini'])[number % 3 + 1],
        (array['gpt-5-mini', 'claude-sonnet-4-5', 'gemini-2.5-flash'])[number % 3 + 1], null,
        case number % 3 when 0 then 'byok' else 'platform' end, case number % 3 when 0 then $2::uuid end, 'ok', 'stop',
        called_at, called_at, 900, 200, 1000 + number % 997, number % 500, 0, 100 + number % 89, number % 50, 'provider',
        case when number % 50 > 0 then (1 + number % 9973) * 0.000001234567 end, 0.05,
        case when number % 50 > 0 then 'bench' end, called_at
      from (
        select number, number / ${CALLS_OF_A_RUN} as run, called_at,
          lpad(to_hex((extract(epoch from called_at) * 1000)::bigint), 12, '0') as millis
        from (
          select number::bigint as number, now() - interval '${DAYS} days' * (1 - number::float8 / $4::float8) as called_at
          from generate_series($5::bigint, $6::bigint) as number
        ) as timed
      ) as numbered
      `,
      [organizationId, workspaceId, agentId, rows, from, Math.min(rows, from + CHUNK) - 1]
    )
  }
  yield* sql`
    insert into agent_platform.session (organization_id, workspace_id, id, created_at)
    values (${organizationId}, ${workspaceId}, ${agentId}, now())
  `
  for (const run of runs) {
    yield* sql.unsafe(
      `
      insert into agent_platform.run (
        organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, interrupt_truncated,
        attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, finished_at, cost_usd, requests,
        input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, metadata, tags, ended_xid
      )
      select $1::uuid, $2::uuid, $4::uuid, $3::uuid, $5::bigint + 1, $3::uuid, 'demo', 'succeeded', false, false, 1, 1, 60, 0,
        'api', min(called_at), max(called_at), 0, 10, 0, 0, 0, 0, 0, '{}', '{}', pg_current_xact_id()
      from agent_platform.model_call where workspace_id = $2::uuid and run_id = $4::uuid
      `,
      [organizationId, workspaceId, agentId, runIdOf(run), run]
    )
  }
})

/** The totals of the ledger and of its daily roll-ups; they must be the same. */
export const totals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly ledger: string; readonly rolled: string }>`
    select (select row(count(*), sum(cost_usd), sum(input_tokens))::text from agent_platform.model_call) as ledger,
      (select row(sum(requests)::bigint, sum(cost_usd), sum(input_tokens)::numeric)::text from agent_platform.usage_roll_up where level = 'day')
        as rolled
  `
  return row ?? { ledger: "", rolled: "nothing" }
})
