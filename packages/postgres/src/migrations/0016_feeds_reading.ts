/**
 * How the feeds are read: notices by number, how far each workspace has read them, activity by its filters, and for which expiry
 * of a key a notice was posted.
 */
import { statements } from "./statements.ts"

export const feedsReading = statements([
  // The owner in one column: the workspace, or the organization itself. With `n_distinct = 1` the planner expects many rows of every
  // owner: expecting few, it would fetch and sort all rows of an owner with millions for a page.
  ...["notification", "activity"].flatMap((table) => [
    `alter table ${table}
      add column owner_id uuid not null generated always as (coalesce(workspace_id, organization_id)) stored`,
    `alter table ${table} alter column owner_id set (n_distinct = 1)`
  ]),

  // No number while a notice is not filed. Numbers are given after the commit, so that posting never waits.
  `alter table notification add column number bigint check (number > 0)`,
  `drop index notification_owner`,
  `create index notification_filed on notification (owner_id, number) where number is not null`,
  `create index notification_unfiled on notification (owner_id, created_at, id) where number is null`,

  // How many numbers were given to a workspace's notices, or to those of an organization, and up to which they are gone.
  `create table notification_tally (
    organization_id uuid not null,
    workspace_id uuid,
    filed bigint not null default 0,
    forgotten bigint not null default 0,
    foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    foreign key (organization_id) references organization (id),
    check (forgotten between 0 and filed)
  ) with (fillfactor = 50)`,
  `create unique index notification_tally_owner on notification_tally ((coalesce(workspace_id, organization_id)))`,

  // Up to which numbers a workspace has read everything, of its own notices and of its organization's, and how many
  // beyond those it has read one by one.
  `create table notification_reader (
    organization_id uuid not null,
    workspace_id uuid not null,
    read_own bigint not null default 0,
    read_shared bigint not null default 0,
    read_beyond bigint not null default 0 check (read_beyond >= 0),
    primary key (organization_id, workspace_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  ) with (fillfactor = 50)`,
  `create table notification_read (
    notification_id uuid not null references notification (id),
    organization_id uuid not null,
    workspace_id uuid not null,
    primary key (notification_id, workspace_id),
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  )`,

  // Every list of activity is a merge of a few walks along one of these, each in the list's own order: one for each kind of
  // actor, where none is named.
  `alter table activity alter column actor_type set (n_distinct = 1), alter column resource_type set (n_distinct = 1)`,
  `create index activity_of_actor on activity (owner_id, actor_type, created_at desc, id desc)`,
  `create index activity_of_resource on activity (owner_id, resource_type, actor_type, created_at desc, id desc)`,
  `drop index activity_owner`,

  `alter table api_key add column expiry_told timestamptz`,
  `create index api_key_expiring on api_key (expires_at)
    where revoked_at is null and replaced_by is null and not disabled and expires_at is distinct from expiry_told`
])
