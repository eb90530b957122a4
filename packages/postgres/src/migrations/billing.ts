/** Costs of model calls: the ledger by month, reservations, spend and price overrides; and usage rolled up by hours and days. */
import { prepareMonths } from "./months.ts"
import { rollUpTables } from "./rollUpTables.ts"
import type { Step } from "./Step.ts"

/** The ledger, the reservations of calls under way, and the sums of both. */
const ledgerTables = (schema: string) => [
  // A month of a workspace. `period_start` identifies it, as its end moves where the workspace's zone changes. `near_by` and
  // `reached_by` are the calls that brought the month there; until `awaited_until` a call that did not fit waits for others to be settled.
  `create table workspace_spend (
    organization_id uuid not null,
    workspace_id uuid not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    cap_usd numeric(24, 12),
    spent_usd numeric(24, 12) not null default 0 check (spent_usd >= 0),
    reserved_usd numeric(24, 12) not null default 0 check (reserved_usd >= 0),
    awaited_until timestamptz,
    near_at timestamptz,
    near_by uuid,
    reached_at timestamptz,
    reached_by uuid,
    reached_cap_usd numeric(24, 12),
    primary key (workspace_id, period_start),
    check ((near_at is null) = (near_by is null)),
    check ((reached_at is null) = (reached_by is null))
  ) with (fillfactor = 50)`,

  // The money that a run has spent and holds back; `last_seq` numbers its calls.
  `create table run_spend (
    workspace_id uuid not null,
    run_id uuid not null,
    spent_usd numeric(24, 12) not null default 0 check (spent_usd >= 0),
    reserved_usd numeric(24, 12) not null default 0 check (reserved_usd >= 0),
    last_seq integer not null default 0,
    primary key (workspace_id, run_id)
  ) with (fillfactor = 50)`,

  // A reservation has everything that the ledger needs of the call, in case nobody ever settles it.
  `create table call_reservation (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    run_id uuid not null,
    session_id uuid not null,
    agent_id uuid not null,
    seq integer not null,
    attempt integer not null,
    provider text not null,
    request_model text not null,
    key_source text not null check (key_source in ('byok', 'platform')),
    key_id uuid,
    input_tokens_max bigint not null,
    output_tokens_max bigint not null,
    amount_usd numeric(24, 12) check (amount_usd >= 0),
    price_version text,
    period_start timestamptz not null,
    called_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (workspace_id, id),
    check (key_source = 'byok' or key_id is null),
    check ((amount_usd is null) = (price_version is null))
  )`,
  `create index call_reservation_expiry on call_reservation (expires_at)`,

  // Partitioned by the call's id, a UUIDv7: months of ids are months of calls. `called_at` says which hour, day and month a
  // call counts for. Rows are never changed. `recorded_xid` is for readers that continue from a place: rows of transactions below
  // pg_snapshot_xmin(pg_current_snapshot()) are complete, and none is added to them.
  `create table model_call (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    run_id uuid not null,
    session_id uuid not null,
    agent_id uuid not null,
    seq integer not null,
    attempt integer not null,
    provider text not null,
    request_model text not null,
    response_model text,
    key_source text not null check (key_source in ('byok', 'platform')),
    key_id uuid,
    status text not null check (status in ('ok', 'error', 'aborted')),
    error_code text,
    finish_reason text,
    called_at timestamptz not null,
    started_at timestamptz not null,
    duration_ms integer not null check (duration_ms >= 0),
    time_to_first_token_ms integer check (time_to_first_token_ms >= 0),
    input_tokens bigint not null check (input_tokens >= 0),
    cache_read_tokens bigint not null check (cache_read_tokens >= 0),
    cache_write_tokens bigint not null check (cache_write_tokens >= 0),
    output_tokens bigint not null check (output_tokens >= 0),
    reasoning_tokens bigint not null check (reasoning_tokens >= 0),
    usage_source text not null check (usage_source in ('provider', 'estimated')),
    cost_usd numeric(24, 12) check (cost_usd >= 0),
    reserved_usd numeric(24, 12),
    price_version text,
    settled_at timestamptz not null,
    recorded_xid xid8 not null default pg_current_xact_id(),
    primary key (workspace_id, id),
    check (key_source = 'byok' or key_id is null),
    check ((cost_usd is null) = (price_version is null))
  ) partition by range (id)`,
  `create index model_call_run on model_call (workspace_id, run_id, seq)`,
  // Readers go on from a place in this index. It has the row's key as well, because one transaction may write many rows.
  `create index model_call_recorded on model_call (recorded_xid, workspace_id, id)`,
  ...prepareMonths({ name: "call", lock: "model_call", tables: { model_call: "id" } }, schema)
]

const tables = [
  // Without a tenant a price holds for the whole deployment.
  `create table price_override (
    id uuid primary key,
    organization_id uuid,
    workspace_id uuid,
    provider text not null,
    model text not null,
    input_usd numeric(24, 12) not null check (input_usd >= 0),
    cache_read_usd numeric(24, 12) check (cache_read_usd >= 0),
    cache_write_usd numeric(24, 12) check (cache_write_usd >= 0),
    output_usd numeric(24, 12) not null check (output_usd >= 0),
    effective_from timestamptz not null,
    created_at timestamptz not null,
    removed_at timestamptz,
    check ((organization_id is null) = (workspace_id is null))
  )`,
  `create index price_override_model on price_override (provider, model, effective_from) where removed_at is null`,

  // Corrections of prices after the fact; the rows of the ledger stay as they are.
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
    primary key (workspace_id, id)
  )`,
  `create index usage_correction_recorded on usage_correction (recorded_xid, workspace_id, id)`,
  `create index usage_correction_run on usage_correction (workspace_id, run_id, call_id, id)`,

  ...rollUpTables
]

export const billing: ReadonlyArray<Step> = [
  { name: "first", statements: (schema) => [...ledgerTables(schema), ...tables] }
]

/** A customer without a row has the default cap. */
const spendCap = `create table spend_cap (
  customer_id uuid primary key,
  customer text not null,
  monthly_cap_usd numeric(24, 12) check (monthly_cap_usd >= 0)
)`

/** The ledger alone, for services that embed it, with the caps of their customers. */
export const metering: ReadonlyArray<Step> = [
  { name: "first", statements: (schema) => [...ledgerTables(schema), spendCap] }
]
