/** The statements of the hand-written servers: what a request needs at the least, over the tables of the platform. */

/** Finds a key and its workspace by the hash of its value. */
export const FIND_KEY = `select id, organization_id, workspace_id, scopes, allowed_ips, disabled, expires_at, revoked_at
  from agent_platform.api_key where hash = $1`

/** A run with everything that its answer shows. */
export const FIND_RUN = `select id, session_id, workspace_id, agent_id, recipe, status, paused, message, interrupt,
    interrupt_truncated, input, result, error, error_code, attempt, max_attempts, trigger_type, trigger_id,
    resumes_run_id, resumed_by_run_id, created_at, started_at, finished_at, cancel_requested_at, cost_usd, requests,
    input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, metadata, tags
  from agent_platform.run where id = $1 and workspace_id = $2`

/** The first of the three statements that accept a run: itself, in a session of its own. */
export const INSERT_RUN = `with made as (
    insert into agent_platform.session (organization_id, workspace_id, id, created_at, last_position)
    values ($1, $2, $3, now(), 1) returning id
  )
  insert into agent_platform.run (organization_id, workspace_id, id, session_id, agent_id, recipe, status, paused, input,
    interrupt_truncated, attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, cost_usd,
    requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, metadata, tags,
    last_seq, position, due_at, ready)
  select $1, $2, $4, made.id, $5, 'demo', 'queued', false, $6, false, 0, 1, 3600, 0, 'api', now(), 0, 0, 0, 0, 0, 0, 0,
    '{}', '{}', 1, 1, now(), true
  from made
  returning created_at`

/** The second: the first event of its log. */
export const INSERT_EVENT = `insert into agent_platform.run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
  values ($1, $2, $3, 1, 'run.queued', now(), 0, '{}')`

/** The queue of the jobs that accepting a run inserts: a table with what a worker needs to find the next. */
export const MAKE_QUEUE = `create table bench_job (
  id uuid primary key default gen_random_uuid(), data jsonb not null, due_at timestamptz not null default now()
)`

/** The third: the job that would execute it. */
export const INSERT_JOB = `insert into bench_job (data) values ($1)`
