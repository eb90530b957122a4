/** Organizations, their workspaces and keys, and the idempotency keys of requests. */
import { statements } from "./statements.ts"

export const identity = statements([
  `create table organization (
    id uuid primary key,
    name text not null,
    created_at timestamptz not null
  )`,

  // The tenant leads every key, so that a foreign key cannot reach another tenant's row.
  `create table workspace (
    organization_id uuid not null references organization (id),
    id uuid not null unique,
    name text not null,
    timezone text not null,
    created_at timestamptz not null,
    primary key (organization_id, id)
  )`,

  `create table api_key (
    organization_id uuid not null references organization (id),
    workspace_id uuid,
    id uuid not null,
    kind text not null check (kind in ('workspace', 'organization')),
    name text not null,
    hash text collate "C" not null,
    hint text not null,
    scopes text[] not null,
    metadata jsonb not null,
    disabled boolean not null,
    version integer not null check (version >= 1),
    created_at timestamptz not null,
    created_by_type text not null,
    created_by_id text not null,
    created_by_label text not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    primary key (organization_id, id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    check ((kind = 'workspace') = (workspace_id is not null))
  )`,
  `create unique index api_key_hash on api_key (hash)`,
  `create index api_key_owner on api_key (organization_id, workspace_id, id)`,

  // The scope is a workspace or an organization; what else would lead the key is not known when it is claimed.
  `create table idempotency_key (
    scope text not null,
    route text not null,
    key text not null,
    body_hash text not null,
    resource_id text not null,
    claimed_at timestamptz not null,
    primary key (scope, route, key)
  )`,
  `create index idempotency_key_claimed_at on idempotency_key (claimed_at)`
])
