/** Secrets that overlap, replays of ranges, and an order in which events can be followed. */
import { statements } from "./statements.ts"

export const webhookLifecycle = statements([
  `alter table webhook_endpoint add column retiring_secrets jsonb not null default '[]'`,

  // Due or pending deliveries of one endpoint: for deleting it, and for the pace of a replay.
  `create index webhook_delivery_waiting on webhook_delivery (endpoint_id, due_at) where state = 'pending'`,

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
  `create index webhook_replay_unfinished on webhook_replay (endpoint_id) where finished_at is null`,

  // Ids are made before their transactions commit, so a reader that follows them would miss what commits late. The
  // transaction's own number says which can still come. Events from before have none and are not followed.
  `alter table event add column transaction_id xid8`,
  `alter table event alter column transaction_id set default pg_current_xact_id()`,
  `create index event_followed on event (organization_id, transaction_id, id)`
])
