/** Agents, sessions, runs and their logs. The table of runs is also their queue. */
import type { Step } from "./Step.ts"

const tables = (schema: string) => [
  // Secrets of an agent are sealed; those of a server's headers are inside of mcp_servers.
  `create table agent (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    name text not null,
    description text,
    recipe text not null,
    recipes text[] not null,
    model text,
    instructions text,
    max_cost_usd numeric(24, 12),
    tools text[] not null default '{}',
    mcp_servers jsonb not null default '[]',
    endpoint_url text,
    sealed_endpoint_secret text,
    sealed_retiring_endpoint_secret text,
    retiring_endpoint_secret_until timestamptz,
    input_schema jsonb,
    model_settings jsonb not null default '{}',
    function_tools jsonb not null default '[]',
    approvals text[] not null default '{}',
    overridable text[] not null default '{}',
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    archived_at timestamptz,
    primary key (workspace_id, id),
    check ((endpoint_url is null) = (sealed_endpoint_secret is null)),
    check ((sealed_retiring_endpoint_secret is null) = (retiring_endpoint_secret_until is null)),
    check (sealed_retiring_endpoint_secret is null or endpoint_url is not null)
  )`,
  "create index agent_live on agent (workspace_id, id) where archived_at is null",

  // An agent as it was from one change to the next, without its secrets. The last hundred are kept.
  `create table agent_version (
    organization_id uuid not null,
    workspace_id uuid not null,
    agent_id uuid not null,
    version integer not null,
    is_archived boolean not null,
    settings jsonb not null,
    created_at timestamptz not null,
    primary key (workspace_id, agent_id, version),
    foreign key (workspace_id, agent_id) references agent (workspace_id, id)
  )`,

  // The inbound URL of an agent, of which only the hash of its token is kept. A deleted one keeps its row, which says when it was
  // deleted, but not its secret.
  `create table agent_webhook (
    organization_id uuid not null,
    workspace_id uuid not null,
    agent_id uuid not null unique,
    token_hash text collate "C" not null,
    verification text not null check (verification in ('none', 'stripe', 'github', 'standard-webhooks')),
    sealed_secret text,
    map jsonb,
    created_at timestamptz not null,
    last_received_at timestamptz,
    deleted_at timestamptz,
    primary key (workspace_id, agent_id),
    foreign key (workspace_id, agent_id) references agent (workspace_id, id),
    constraint agent_webhook_secret
      check (deleted_at is not null or (verification = 'none') = (sealed_secret is null))
  )`,

  // The runs of a session are numbered under the session's lock, because ids come from the clocks of several machines. A closed
  // session is being erased. Keys of sessions and runs begin with the id, not with the workspace: such an index grows only at its end
  // and its pages stay full, while one that begins with the workspace is split in many places and stays half empty.
  `create table session (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    last_position integer not null default 0,
    closed boolean not null default false,
    created_at timestamptz not null,
    primary key (id, workspace_id)
  )`,

  // The claim says who executes the run; last_seq is the end of its log. Both change with the row that they fence.
  // due_at: when the first waiting run of a session may be claimed; null while another goes before it. ready: that time has come.
  // So the index that claims read has one run of a thousand that wait for a session, and none that waits for its time.
  // ended_xid: the transaction that ended the run, for counting outcomes. changed_xid: the last one that changed it, for followers.
  // trace: a W3C traceparent, where spans are recorded.
  // Columns are in the order of their alignment, because a row is padded where a wide one follows a narrow one. JSON is kept as it was
  // sent: jsonb takes half as much again for values of this size, and nothing searches them.
  `create table run (
    created_at timestamptz not null,
    run_at timestamptz,
    expires_at timestamptz,
    due_at timestamptz,
    started_at timestamptz,
    callback_until timestamptz,
    finished_at timestamptz,
    cancel_requested_at timestamptz,
    question_cancelled_at timestamptz,
    lease_until timestamptz,
    ended_xid xid8,
    changed_xid xid8 not null default pg_current_xact_id(),
    max_duration_seconds double precision not null,
    input_tokens bigint not null,
    cache_read_tokens bigint not null,
    cache_write_tokens bigint not null,
    output_tokens bigint not null,
    reasoning_tokens bigint not null,
    requests integer not null,
    position integer not null,
    agent_version integer,
    attempt integer not null check (attempt >= 0),
    hand_backs integer not null default 0 check (hand_backs between 0 and attempt),
    max_attempts integer not null,
    priority integer not null,
    last_seq integer not null default 0,
    paused boolean not null,
    interrupt_truncated boolean not null,
    question_reminded boolean not null default false,
    ready boolean not null default false,
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    session_id uuid not null,
    agent_id uuid not null,
    resumes_run_id uuid,
    resumed_by_run_id uuid,
    claim_token uuid,
    status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    recipe text not null,
    model text,
    trigger_type text not null,
    trigger_id text,
    error_code text,
    finish_reason text,
    max_cost_usd numeric(24, 12),
    cost_usd numeric(24, 12) not null,
    tags text[],
    prompt text,
    input json,
    overrides json,
    message text,
    interrupt json,
    result json,
    error text,
    metadata json not null,
    trace text check (length(trace) <= 256),
    primary key (id, workspace_id),
    foreign key (workspace_id, session_id) references session (workspace_id, id),
    foreign key (workspace_id, agent_id) references agent (workspace_id, id),
    foreign key (workspace_id, resumes_run_id) references run (workspace_id, id),
    foreign key (workspace_id, resumed_by_run_id) references run (workspace_id, id),
    check ((status = 'running') = (claim_token is not null)),
    check ((claim_token is null) = (lease_until is null)),
    check ((status in ('queued', 'running')) = (finished_at is null)),
    check (callback_until is null or status = 'running'),
    check (due_at is null or status = 'queued'),
    check (not ready or due_at is not null)
  )`,
  `create unique index run_position on run (session_id, position)`,
  `create index run_unfinished on run (session_id, position) where status in ('queued', 'running')`,
  `create index run_open_question on run (session_id, position)
    where paused and resumed_by_run_id is null and question_cancelled_at is null`,
  `create index run_queued on run (workspace_id) where status = 'queued'`,
  // By organization first, in turns, and then by workspace.
  `create index run_ready on run (organization_id, workspace_id, priority desc, due_at, id) where ready`,
  `create index run_scheduled on run (due_at) where due_at is not null and not ready`,
  `create index run_expiry on run (expires_at) where status = 'queued' and attempt = 0 and expires_at is not null`,
  `create index run_claimed on run (claim_token) where status = 'running'`,
  `create index run_lease on run (lease_until) where status = 'running'`,
  `create index run_cancelling on run (cancel_requested_at) where status = 'running' and cancel_requested_at is not null`,
  `create index run_ended on run (ended_xid) where ended_xid is not null`,
  // Neither this nor run_in_order, run_of_agent and run_of_session below have the id, by which a page sorts the runs of one transaction or
  // millisecond: those are few, and every change of a run is an entry in each.
  `create index run_changed on run (workspace_id, changed_xid)`,
  // So the planner always expects few runs of a transaction, and of a moment; expecting many, it would sort all that is left for each
  // page.
  ...["changed_xid", "ended_xid", "created_at"].map(
    (column) => `alter table run alter column ${column} set (n_distinct = -0.5)`
  ),
  // In the order of lists, in two parts: 1 for the first runs of sessions, by which sessions are listed, and 2 for those that follow
  // them. So one index serves both lists, of which that of runs merges the parts. Those that failed or were cancelled are looked
  // for among many that succeeded; few are unfinished.
  `create index run_in_order on run (workspace_id, least(position, 2), created_at desc)`,
  `create index run_of_agent on run (agent_id, least(position, 2), created_at desc)`,
  `create index run_of_session on run (session_id, created_at desc)`,
  `create index run_unhappy on run (workspace_id, status, created_at desc, id desc)
    where status in ('failed', 'cancelled')`,
  // Open questions, in the order of lists.
  `create index run_waiting on run (workspace_id, created_at desc, id desc)
    where paused and resumed_by_run_id is null and question_cancelled_at is null`,
  // Open questions of all workspaces without a reminder so far.
  `create index run_unreminded on run (finished_at) where paused and resumed_by_run_id is null and question_cancelled_at is null
    and not question_reminded`,
  `create index run_tags on run using gin (tags) where tags is not null`,
  // When a run is deleted, Postgres looks for rows that refer to it: without these indexes, through the whole table for each.
  `create index run_resumes on run (workspace_id, resumes_run_id) where resumes_run_id is not null`,
  `create index run_resumed_by on run (workspace_id, resumed_by_run_id) where resumed_by_run_id is not null`,

  `create table run_event (
    workspace_id uuid not null,
    run_id uuid not null,
    session_id uuid not null,
    seq integer not null check (seq >= 1),
    type text not null,
    created_at timestamptz not null,
    attempt integer not null,
    data jsonb not null,
    primary key (run_id, seq)
  )`,
  // Logs are checked once a statement, because a foreign key would lock the run for every row. The inner query has a form that the
  // planner does not turn into a join, so that it always uses the run's id.
  `create function run_event_stays_in_its_run() returns trigger language plpgsql as $$
    begin
      if exists (
        select from (select distinct workspace_id, run_id, session_id from written) as named
        where not coalesce(
          (
            select run.workspace_id = named.workspace_id and run.session_id = named.session_id
            from ${schema}.run where run.id = named.run_id
          ),
          false
        )
      ) then
        raise foreign_key_violation using
          message = 'A log entry names no run of its workspace and session',
          table = 'run_event', constraint = 'run_event_stays_in_its_run';
      end if;
      return null;
    end
  $$`,
  `create trigger run_event_inserted after insert on run_event
    referencing new table as written for each statement execute function run_event_stays_in_its_run()`,
  `create trigger run_event_updated after update on run_event
    referencing new table as written for each statement execute function run_event_stays_in_its_run()`,

  // Logs of runs that ended some time ago: a row has some hundred events, from `first_seq` to `last_seq`, compressed as one text
  // (compressedText.ts). A log is wholly in one of the two tables. `bytes`: the size of its events as JSON.
  `create table compressed_log (
    workspace_id uuid not null,
    run_id uuid not null,
    first_seq integer not null check (first_seq >= 1),
    last_seq integer not null check (last_seq >= first_seq),
    bytes integer not null,
    events bytea not null,
    primary key (run_id, first_seq),
    foreign key (workspace_id, run_id) references run (workspace_id, id) on delete cascade
  )`,
  "alter table compressed_log alter column events set storage external",

  // The content beside a message, as base64 and other text: read for a turn of a model alone, and too large for the run's own row.
  `create table run_content (
    organization_id uuid not null,
    workspace_id uuid not null,
    run_id uuid not null,
    bytes integer not null,
    parts text not null,
    primary key (workspace_id, run_id),
    foreign key (workspace_id, run_id) references run (workspace_id, id) on delete cascade
  )`,
  "alter table run_content alter column parts set storage external",

  // The state is JSON as text, so that it comes back exactly as it was, with characters that jsonb refuses.
  // One that its session keeps names it; others go with the end of their runs.
  `create table run_checkpoint (
    organization_id uuid not null,
    workspace_id uuid not null,
    run_id uuid not null,
    session_id uuid,
    state text not null,
    saved_at timestamptz not null,
    primary key (workspace_id, run_id),
    foreign key (workspace_id, run_id) references run (workspace_id, id) on delete cascade,
    foreign key (workspace_id, session_id) references session (workspace_id, id)
  )`,
  `create index run_checkpoint_session on run_checkpoint (workspace_id, session_id) where session_id is not null`,

  // Runs by the clock. next_run_at is null while a schedule is not enabled. last_run_id is no reference: runs are forgotten.
  `create table schedule (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    agent_id uuid not null,
    name text,
    cron text not null,
    timezone text not null,
    prompt text,
    input jsonb,
    metadata jsonb not null,
    tags text[] not null,
    missed text not null check (missed in ('skip', 'once')),
    enabled boolean not null,
    next_run_at timestamptz,
    settled_until timestamptz,
    last_run_id uuid,
    last_run_at timestamptz,
    last_error_code text,
    last_error_detail text,
    last_error_due_at timestamptz,
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace_id, id),
    foreign key (workspace_id, agent_id) references agent (workspace_id, id),
    check (enabled = (next_run_at is not null)),
    -- A time that has been dealt with is never due again.
    check (next_run_at > settled_until)
  )`,
  "create index schedule_of_agent on schedule (workspace_id, agent_id, id)",
  // By organization first, in turns, and then by workspace.
  `create index schedule_due on schedule (organization_id, workspace_id, next_run_at, id) where next_run_at is not null`,

  // The keys that sign records belong to the deployment. A replaced key stays, so that its signatures can be verified.
  `create table record_key (
    id text collate "C" primary key,
    public_key text not null,
    sealed_private_key text not null,
    created_at timestamptz not null,
    retired_at timestamptz
  )`,
  `create unique index record_key_current on record_key ((true)) where retired_at is null`
]

export const runs: ReadonlyArray<Step> = [{ name: "first", statements: tables }]
