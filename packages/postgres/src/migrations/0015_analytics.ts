/** Usage rolled up by hours and days of each workspace's own calendar, and how far that has come. */
import { statements } from "./statements.ts"

const SUMS = `
    requests bigint not null,
    unpriced_requests bigint not null,
    input_tokens bigint not null,
    cache_read_tokens bigint not null,
    cache_write_tokens bigint not null,
    output_tokens bigint not null,
    reasoning_tokens bigint not null,
    cost_usd numeric(24, 12) not null`

export const analytics = statements([
  // Read on from a place, which is unique only together with the row's key: one transaction may write many rows.
  `drop index model_call_recorded`,
  `create index model_call_recorded on model_call (recorded_xid, workspace_id, id)`,

  // The transaction that ended the run, for counting outcomes. Runs that have ended already are counted as well.
  `alter table run add column ended_xid xid8`,
  `update run set ended_xid = pg_current_xact_id() where finished_at is not null`,
  `create index run_ended on run (ended_xid, id) where ended_xid is not null`,

  // Prices that were changed after the fact: the rows of the ledger stay as they are.
  `create table usage_correction (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    call_id uuid not null,
    run_id uuid not null,
    agent_id uuid not null,
    provider text not null,
    request_model text not null,
    key_source text not null check (key_source in ('byok', 'platform')),
    called_at timestamptz not null,
    cost_usd numeric(24, 12) not null check (cost_usd >= 0),
    delta_usd numeric(24, 12) not null,
    was_unpriced boolean not null,
    price_version text not null,
    reason text not null,
    created_at timestamptz not null,
    recorded_xid xid8 not null default pg_current_xact_id(),
    primary key (workspace_id, id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  )`,
  `create index usage_correction_recorded on usage_correction (recorded_xid, workspace_id, id)`,
  `create index usage_correction_run on usage_correction (workspace_id, run_id, call_id, id)`,

  // One row, locked while usage is rolled up; places are of the form mark/workspace/id.
  `create table roll_up_state (
    id boolean primary key default true check (id),
    calls_place text,
    corrections_place text,
    runs_place text,
    as_of timestamptz not null default 'epoch',
    sample_mark xid8,
    sample_at timestamptz,
    tried_at timestamptz not null default 'epoch',
    check ((sample_mark is null) = (sample_at is null))
  ) with (fillfactor = 10)`,
  `insert into roll_up_state default values`,

  // The zone that a month had when something first happened in it is that month's for ever.
  `create table billing_month (
    organization_id uuid not null,
    workspace_id uuid not null,
    month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
    timezone text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    primary key (workspace_id, month),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  )`,

  // A span begins at starts_at: an hour, or the part of one that lies in one hour of both UTC and the workspace; or a day.
  `create table usage_roll_up (
    organization_id uuid not null,
    workspace_id uuid not null,
    level text not null check (level in ('hour', 'day')),
    starts_at timestamptz not null,
    agent_id uuid not null,
    provider text not null,
    model text not null,
    key_source text not null check (key_source in ('byok', 'platform')),${SUMS},
    primary key (workspace_id, level, starts_at, agent_id, provider, model, key_source),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  ) with (fillfactor = 70)`,
  `create table outcome_roll_up (
    organization_id uuid not null,
    workspace_id uuid not null,
    level text not null check (level in ('hour', 'day')),
    starts_at timestamptz not null,
    agent_id uuid not null,
    succeeded bigint not null,
    paused bigint not null,
    failed bigint not null,
    cancelled bigint not null,
    primary key (workspace_id, level, starts_at, agent_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  ) with (fillfactor = 70)`,

  // Once a day is final only its adjustments and its revision change.
  `create table billing_day (
    organization_id uuid not null,
    workspace_id uuid not null,
    date date not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    runs bigint not null,
    requests bigint not null,
    byok_cost_usd numeric(24, 12) not null,
    platform_cost_usd numeric(24, 12) not null,
    adjustments_usd numeric(24, 12) not null,
    revision integer not null,
    primary key (workspace_id, date),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  ) with (fillfactor = 70)`
])
