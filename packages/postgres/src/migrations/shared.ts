/**
 * Tables that every domain may need: idempotency keys, erasures, the key of fingerprints, the history of jobs, and months of
 * partitions.
 */
import { MONTH_FUNCTIONS } from "./months.ts"
import type { Step } from "./Step.ts"

const tables = [
  // The scope is a workspace or an organization. The key has no other column of a tenant: none is known when it is claimed.
  `create table idempotency_key (
    scope text not null,
    route text not null,
    key text not null,
    body_hash text not null,
    resource_id text not null,
    claimed_at timestamptz not null,
    primary key (scope, route, key)
  )`,
  `create index idempotency_key_claimed_at on idempotency_key (claimed_at)`,
  // For erasures.
  `create index idempotency_key_resource on idempotency_key (resource_id)`,

  // All erasures, finished or not. They have only ids and counts, so that these rows can stay.
  `create table erasure (
    organization_id uuid not null,
    workspace_id uuid,
    id uuid not null,
    kind text not null check (kind in ('run', 'session', 'agent', 'workspace', 'organization', 'person')),
    subject_id uuid not null,
    requested_by_type text not null check (requested_by_type in ('user', 'agent', 'system')),
    requested_by_id text not null,
    state text not null check (state in ('pending', 'running', 'done', 'failed')),
    counts jsonb not null,
    created_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    primary key (organization_id, id),
    check ((state in ('done', 'failed')) = (finished_at is not null)),
    check ((kind in ('run', 'session', 'agent')) = (workspace_id is not null))
  )`,
  `create unique index erasure_unfinished on erasure (organization_id, kind, subject_id) where finished_at is null`,

  // One row: the key is the deployment's. It is sealed, and made by the first process that needs it.
  `create table fingerprint_key (
    id boolean primary key default true check (id),
    sealed_key text not null
  )`,

  // Numbered by the database, because ids come from the clocks of several machines.
  `create table job_run (
    id uuid primary key,
    number bigint generated always as identity,
    name text not null,
    trigger text not null check (trigger in ('schedule', 'operator')),
    holder text not null,
    status text not null check (status in ('running', 'succeeded', 'failed', 'stopped', 'lost')),
    started_at timestamptz not null,
    finished_at timestamptz,
    items_done bigint not null check (items_done >= 0),
    items_total bigint check (items_total >= 0),
    progress_cursor text,
    summary text,
    error text,
    check ((status = 'running') = (finished_at is null))
  )`,
  `create unique index job_run_number on job_run (number)`,
  `create index job_run_of_job on job_run (name, number)`,
  `create index job_run_running on job_run (name) where status = 'running'`
]

export const shared: ReadonlyArray<Step> = [
  { name: "first", statements: (schema) => [...tables, ...MONTH_FUNCTIONS(schema)] }
]
