/** Activity and notices, written in the transactions that cause them. */
import { statements } from "./statements.ts"

export const feeds = statements([
  `create table activity (
    organization_id uuid not null,
    workspace_id uuid,
    id uuid primary key,
    action text not null,
    actor_type text not null check (actor_type in ('user', 'agent', 'system')),
    actor_id text not null,
    actor_label text not null,
    summary text not null,
    resource_type text not null,
    resource_id text not null,
    payload jsonb not null,
    created_at timestamptz not null,
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (organization_id) references organization (id)
  )`,
  // Newest first within a workspace; an organization's own entries have none.
  `create index activity_owner on activity (organization_id, workspace_id, created_at desc, id desc)`,

  `create table notification (
    organization_id uuid not null,
    workspace_id uuid,
    id uuid primary key,
    type text not null,
    title text not null,
    body text not null,
    payload jsonb not null,
    created_at timestamptz not null,
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (organization_id) references organization (id)
  )`,
  `create index notification_owner on notification (organization_id, workspace_id, created_at desc, id desc)`
])
