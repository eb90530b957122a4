/** A ledger of any size, made set by set in the database itself. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { uuids } from "../../../packages/postgres/src/columns.ts"

/** The tenant of the calls. */
export interface BenchOwner {
  readonly organizationId: string
  /** The runs belong to these by turns. */
  readonly workspaceIds: ReadonlyArray<string>
  readonly agentId: string
}

/** Calls that a run makes. */
export const CALLS_OF_A_RUN = 10

/** The days that the calls lie in, up to now. */
export const DAYS = 30

/** Rows that one statement writes. */
const CHUNK = 500_000

/** How many different customers the metadata of the runs names. */
const CUSTOMERS = 500

/** `runIdOf` in SQL, of the column `run`. */
const RUN_ID = "('01900000-0000-7000-8000-' || lpad(to_hex(run), 12, '0'))::uuid"

/** The id of a run by its number, from 0. */
export const runIdOf = (run: number): string => `01900000-0000-7000-8000-${run.toString(16).padStart(12, "0")}`

/**
 * Writes so many calls, evenly over the days: ten a run, three agents, three models of as many providers, one call in fifty without
 * a known price. Each run has two tags, one of twenty and one of three, and a customer in its metadata. Ids that only have to differ are
 * borrowed: the session's is that of the agent, and the two other agents have those of the first workspace and of the organization.
 *
 * In the statements a remainder takes values by turns. A number times a prime (7919, 9973) looks random, and is the same each time.
 */
export const fillLedger = Effect.fnUntraced(function* (
  { agentId, organizationId, workspaceIds }: BenchOwner,
  rows: number
) {
  const sql = yield* SqlClient.SqlClient
  const theirs = uuids(workspaceIds)
  yield* sql.unsafe(
    `
    insert into agent_platform.agent (organization_id, workspace_id, id, name, recipe, recipes, version, created_at, updated_at)
    select $1::uuid, workspace_id, $2::uuid, 'Demo', 'demo', '{}', 1, now(), now() from unnest($3::uuid[]) as workspace_id
    on conflict do nothing
    `,
    [organizationId, agentId, theirs]
  )
  yield* sql.unsafe(
    `
    insert into agent_platform.session (organization_id, workspace_id, id, created_at)
    select $1::uuid, workspace_id, $2::uuid, now() from unnest($3::uuid[]) as workspace_id
    `,
    [organizationId, agentId, theirs]
  )
  for (let from = 0; from < rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK) - 1
    // The calls, innermost by number and time. The id of each is a UUIDv7 of its time that ends in its number.
    yield* sql.unsafe(
      `
      insert into agent_platform.model_call (
        organization_id, workspace_id, id, run_id, session_id, agent_id, seq, attempt, provider, request_model,
        response_model, key_source, key_id, status, finish_reason, called_at, started_at, duration_ms,
        time_to_first_token_ms, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
        usage_source, cost_usd, reserved_usd, price_version, settled_at
      )
      select $1::uuid, ($2::uuid[])[run % cardinality($2::uuid[]) + 1],
        (substr(millis, 1, 8) || '-' || substr(millis, 9, 4) || '-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid,
        ${RUN_ID}, $3::uuid, (array[$3::uuid, ($2::uuid[])[1], $1::uuid])[run % 3 + 1], number % ${CALLS_OF_A_RUN} + 1, 1,
        (array['openai', 'anthropic', 'gcp.gemini'])[number % 3 + 1],
        (array['gpt-5-mini', 'claude-sonnet-4-5', 'gemini-2.5-flash'])[number % 3 + 1], null,
        case number % 3 when 0 then 'byok' else 'platform' end, case number % 3 when 0 then $3::uuid end, 'ok', 'stop',
        called_at, called_at, 900, (150 * exp(2.5 * ((number * 7919) % 1000) / 1000.0))::int, 1000 + number % 997, number % 500, 0,
        100 + number % 89, number % 50, 'provider', case when number % 50 > 0 then (1 + number % 9973) * 0.000001234567 end, 0.05,
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
      [organizationId, theirs, agentId, rows, from, to]
    )
    // The runs that these calls belong to, each begun at the time of its first call and over within a minute.
    yield* sql.unsafe(
      `
      insert into agent_platform.run (
        organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, interrupt_truncated,
        attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, started_at, finished_at, cost_usd, requests,
        input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, metadata, tags, ended_xid
      )
      select $1::uuid, ($2::uuid[])[run % cardinality($2::uuid[]) + 1], ${RUN_ID}, $3::uuid, run + 1, $3::uuid, 'demo',
        (array['succeeded', 'succeeded', 'failed'])[run % 3 + 1], false, false, 1, 1, 60, 0, 'api', begun, begun,
        begun + interval '1 second' * exp(4 * ((run * 7919) % 1000) / 1000.0), 0, 10, 0, 0, 0, 0, 0,
        jsonb_build_object('customer', 'customer-' || run * 7919 % ${CUSTOMERS}, 'feature', 'chat'),
        array['team-' || run % 20, 'tier-' || run % 3], pg_current_xact_id()
      from (
        select run, now() - interval '${DAYS} days' * (1 - run::float8 * ${CALLS_OF_A_RUN} / $4::float8) as begun
        from generate_series($5::bigint, $6::bigint) as run
      ) as timed
      `,
      [organizationId, theirs, agentId, rows, Math.ceil(from / CALLS_OF_A_RUN), Math.floor(to / CALLS_OF_A_RUN)]
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
