/** Limits of keys, and their replacement. */
import { statements } from "./statements.ts"

export const apiKeys = statements([
  `alter table api_key
    add column allowed_ips text[] not null default '{}',
    add column rate_limit integer check (rate_limit between 1 and 1000000),
    add column rate_window_seconds integer check (rate_window_seconds between 1 and 86400),
    add column replaced_by uuid,
    add check ((rate_limit is null) = (rate_window_seconds is null)),
    add constraint api_key_of_owner unique (organization_id, workspace_id, id)`,
  `drop index api_key_owner`,
  // A successor is of the same organization and, for a workspace key, of the same workspace. It is inserted after the key
  // whose place it takes has been claimed, so that of two rotations at once only one inserts anything.
  `alter table api_key
    add foreign key (organization_id, replaced_by) references api_key (organization_id, id)
      deferrable initially deferred,
    add foreign key (organization_id, workspace_id, replaced_by) references api_key (organization_id, workspace_id, id)
      deferrable initially deferred`,

  // One row for each key that has a limit and was used. Unlogged: a count that is lost in a crash begins anew, and no
  // request waits for the disk. No index holds what changes, so that rows are rewritten in place.
  `create unlogged table api_key_rate (
    organization_id uuid not null,
    key_id uuid not null,
    request_limit integer not null,
    window_seconds integer not null,
    full_at_nanos bigint not null,
    primary key (organization_id, key_id),
    foreign key (organization_id, key_id) references api_key (organization_id, id)
  ) with (fillfactor = 50)`
])
