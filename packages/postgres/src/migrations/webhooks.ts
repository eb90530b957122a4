/** Events and their outbox, the endpoints that they are delivered to, deliveries, attempts and replays of ranges. */
import { dropMonths, type MonthlyTables, prepareMonths } from "./months.ts"
import type { Step } from "./Step.ts"
import { TAKE_EVENTS } from "./takeEvents.ts"

const DELIVERIES: MonthlyTables = {
  name: "delivery",
  lock: "delivery_history",
  tables: { event: "id", webhook_delivery: "event_id", webhook_attempt: "event_id" }
}

const tables = (schema: string) => [
  // Ids are UUIDv7, so the primary key grows at its end. No foreign keys here or on deliveries: each costs 8.5 µs a row.
  // Ids are made before their transactions commit, so a reader that follows them would miss what commits late: the
  // transaction's own number says which can still come.
  // Deliveries send what `bodyOf` makes of these columns, which are in the order of their alignment.
  `create table event (
    created_at timestamptz not null,
    transaction_id xid8 default pg_current_xact_id(),
    id uuid primary key,
    organization_id uuid not null,
    workspace_id uuid,
    run_id uuid,
    type text not null,
    data text not null,
    trace text check (length(trace) <= 256)
  ) partition by range (id)`,
  `create index event_followed on event (organization_id, transaction_id, id)`,
  // For erasures: the events of a run, and those of a workspace. One index of both would take twice the room: of a workspace alone there
  // is one entry for many events.
  `create index event_of_run on event (run_id) where run_id is not null`,
  `create index event_of_workspace on event (workspace_id) where workspace_id is not null`,

  // Events that are still to be dispatched, with their leases. No index has a column that changes, and a page has room for what
  // each of its rows becomes when it is taken, so that taking an event leaves the index alone. Rows come and go by the thousand
  // a second, so dead ones are cleared by their number and not by their share.
  `create table event_outbox (
    event_id uuid primary key,
    taken_by uuid,
    taken_until timestamptz,
    attempt integer not null default 0
  ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,

  // failing_since and dead_notice_at are the endpoint's health, which the delivery worker writes.
  `create table webhook_endpoint (
    organization_id uuid not null,
    id uuid not null,
    url text not null,
    event_types text[] not null,
    workspace_ids uuid[] not null default '{}',
    description text,
    status text not null check (status in ('active', 'disabled', 'deleted')),
    disabled_reason text,
    sealed_secret text not null,
    retiring_secrets jsonb not null default '[]',
    failing_since timestamptz,
    dead_notice_at timestamptz,
    created_at timestamptz not null,
    primary key (organization_id, id)
  )`,
  "create index webhook_endpoint_kept on webhook_endpoint (organization_id, id) where status <> 'deleted'",
  TAKE_EVENTS(schema),

  // due_at is when a worker may claim it: the next attempt, or the end of a claim that holds. One index serves both.
  // voided_tokens: claims that were voided while somebody attempted the delivery; the attempt is recorded when it ends.
  // first_…: the first attempt, which is the only one of most deliveries. A row of its own with its index would double the writes.
  `create table webhook_delivery (
    endpoint_id uuid not null,
    event_id uuid not null,
    organization_id uuid not null,
    event_type text not null,
    state text not null check (state in ('pending', 'delivered', 'dead')),
    state_reason text check (state_reason in ('retries_exhausted', 'endpoint_deleted', 'endpoint_disabled')),
    attempt_count integer not null check (attempt_count >= 0),
    failures integer not null check (failures >= 0),
    next_attempt_at timestamptz,
    due_at timestamptz,
    claim_token uuid,
    voided_tokens uuid[],
    created_at timestamptz not null,
    delivered_at timestamptz,
    first_attempted_at timestamptz,
    first_duration_millis integer,
    first_response_code integer,
    first_error text,
    first_response_excerpt text,
    first_remote_ip text,
    primary key (endpoint_id, event_id),
    check ((state = 'pending') = (next_attempt_at is not null)),
    check ((state = 'pending') = (due_at is not null)),
    check (state = 'pending' or claim_token is null)
  ) partition by range (event_id)`,
  `create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending'`,
  // Dead deliveries of an endpoint, as they are listed.
  `create index webhook_delivery_dead on webhook_delivery (endpoint_id, event_id) where state = 'dead'`,
  // Due or pending deliveries of one endpoint: for deleting it, and for the pace of a replay.
  `create index webhook_delivery_waiting on webhook_delivery (endpoint_id, due_at) where state = 'pending'`,

  // All attempts but the first.
  `create table webhook_attempt (
    organization_id uuid not null,
    endpoint_id uuid not null,
    event_id uuid not null,
    number integer not null check (number >= 1),
    attempted_at timestamptz not null,
    duration_millis integer not null check (duration_millis >= 0),
    response_code integer,
    error text,
    response_excerpt text,
    remote_ip text,
    primary key (endpoint_id, event_id, number)
  ) partition by range (event_id)`,
  ...prepareMonths(DELIVERIES, schema),
  ...dropMonths(DELIVERIES, schema, { table: "webhook_delivery", where: "state = 'pending'" }),

  `create table webhook_replay (
    organization_id uuid not null,
    id uuid not null,
    endpoint_id uuid not null,
    since timestamptz not null,
    until timestamptz not null,
    selection text not null check (selection in ('dead', 'all')),
    state text not null check (state in ('pending', 'running', 'completed', 'stopped')),
    state_reason text check (state_reason in ('endpoint_deleted', 'endpoint_disabled')),
    position uuid,
    replayed_count integer not null check (replayed_count >= 0),
    created_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    primary key (organization_id, id),
    foreign key (organization_id, endpoint_id) references webhook_endpoint (organization_id, id),
    check ((state in ('completed', 'stopped')) = (finished_at is not null)),
    check ((state = 'stopped') = (state_reason is not null))
  )`,
  `create index webhook_replay_list on webhook_replay (endpoint_id, id)`,
  `create index webhook_replay_unfinished on webhook_replay (endpoint_id) where finished_at is null`,
  `create index webhook_replay_finished on webhook_replay (finished_at) where finished_at is not null`
]

export const webhooks: ReadonlyArray<Step> = [{ name: "first", statements: tables }]
