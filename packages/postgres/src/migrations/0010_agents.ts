/** The parts of an agent, its inbound URLs, keys of records, and lists of runs. */
import { statements } from "./statements.ts"

export const agents = statements([
  // Secrets of an agent are sealed for its place; a server's headers stand sealed inside mcp_servers.
  `alter table agent
    add column tools text[] not null default '{}',
    add column mcp_servers jsonb not null default '[]',
    add column endpoint_url text,
    add column sealed_endpoint_secret text,
    add column input_schema jsonb,
    add column archived_at timestamptz,
    add check ((endpoint_url is null) = (sealed_endpoint_secret is null))`,

  // One URL an agent, of which only the hash of its token is kept. Deleted, it stays as the memory of when.
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
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (workspace_id, agent_id) references agent (workspace_id, id),
    check ((verification = 'none') = (sealed_secret is null))
  )`,

  // The keys that sign records belong to the deployment. One that was replaced stays, so that what it signed can be checked.
  `create table record_key (
    id text collate "C" primary key,
    public_key text not null,
    sealed_private_key text not null,
    created_at timestamptz not null,
    retired_at timestamptz
  )`,
  `create unique index record_key_current on record_key ((true)) where retired_at is null`,

  // In the order of lists. Those that failed or were cancelled are looked for among many that succeeded; few are unfinished.
  `create index run_recent on run (workspace_id, created_at desc, id desc)`,
  `create index run_of_agent on run (workspace_id, agent_id, created_at desc, id desc)`,
  `create index run_of_session on run (session_id, created_at desc, id desc)`,
  `create index run_unhappy on run (workspace_id, status, created_at desc, id desc)
    where status in ('failed', 'cancelled')`,
  `create index run_tags on run using gin (tags) where tags <> '{}'`
])
