/** Events, the endpoints that they are delivered to, deliveries and attempts. */
import { statements } from "./statements.ts"

export const webhooks = statements([
  // Ids are UUIDv7, so the primary key grows at its end. No foreign keys here or on deliveries: each costs 8.5 µs a row.
  `create table event (
    id uuid primary key,
    organization_id uuid not null,
    workspace_id uuid,
    type text not null,
    created_at timestamptz not null,
    body text not null
  )`,

  `create table webhook_endpoint (
    organization_id uuid not null,
    id uuid not null,
    url text not null,
    event_types text[] not null,
    description text,
    status text not null check (status in ('active', 'disabled', 'deleted')),
    disabled_reason text,
    sealed_secret text not null,
    created_at timestamptz not null,
    primary key (organization_id, id)
  )`,

  // due_at is when a worker may claim it: the next attempt, or the end of a claim that holds. One index serves both.
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
    created_at timestamptz not null,
    delivered_at timestamptz,
    primary key (endpoint_id, event_id),
    check ((state = 'pending') = (next_attempt_at is not null)),
    check ((state = 'pending') = (due_at is not null)),
    check (state = 'pending' or claim_token is null)
  )`,
  `create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending'`,

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
  )`
])
