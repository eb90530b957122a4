/** Usage rolled up by hours and days: part of the first step of billing. */

const SUMS = `
    requests bigint not null,
    unpriced_requests bigint not null,
    input_tokens bigint not null,
    cache_read_tokens bigint not null,
    cache_write_tokens bigint not null,
    output_tokens bigint not null,
    reasoning_tokens bigint not null,
    cost_usd numeric(24, 12) not null`

export const rollUpTables: ReadonlyArray<string> = [
  // One row, locked while usage is rolled up. Places are of the form mark/workspace/id; `as_of` and the sample are those of billing's
  // `RollUpState`, and `tried_at` is when the last batch was made.
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

  // A month keeps the time zone that its workspace had when something first happened in it.
  `create table billing_month (
    organization_id uuid not null,
    workspace_id uuid not null,
    month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
    timezone text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    primary key (workspace_id, month)
  )`,

  // The span that begins at starts_at is a day or an hour; where the workspace's hours do not begin with those of UTC, the part that
  // lies in one hour of both.
  `create table usage_roll_up (
    organization_id uuid not null,
    workspace_id uuid not null,
    level text not null check (level in ('hour', 'day')),
    starts_at timestamptz not null,
    agent_id uuid not null,
    provider text not null,
    model text not null,
    key_source text not null check (key_source in ('byok', 'platform')),${SUMS},
    primary key (workspace_id, level, starts_at, agent_id, provider, model, key_source)
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
    primary key (workspace_id, level, starts_at, agent_id)
  ) with (fillfactor = 70)`,

  // How long runs took, and model calls until their first token, for each hour: how many fell into each bucket. Provider and model
  // are empty for runs. Beside the rows of each agent there is one for all agents together, under an id of zeros.
  `create table latency_roll_up (
    organization_id uuid not null,
    workspace_id uuid not null,
    kind text not null check (kind in ('run', 'first_token')),
    starts_at timestamptz not null,
    agent_id uuid not null,
    provider text not null,
    model text not null,
    distribution json not null,
    primary key (workspace_id, kind, agent_id, starts_at, provider, model)
  ) with (fillfactor = 70)`,

  // Once a day is final, only its adjustments and its revision change.
  `create table billing_day (
    organization_id uuid not null,
    workspace_id uuid not null,
    date date not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    runs bigint not null,
    requests bigint not null,
    unpriced_requests bigint not null,
    byok_cost_usd numeric(24, 12) not null,
    platform_cost_usd numeric(24, 12) not null,
    adjustments_usd numeric(24, 12) not null,
    revision integer not null,
    primary key (workspace_id, date)
  ) with (fillfactor = 70)`
]
