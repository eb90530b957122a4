/**
 * How the feeds are read: notices by number, what each workspace has read of them, activity by its filters, and which
 * expiry of a key was told of.
 */
import { statements } from "./statements.ts"

export const feedsReading = statements([
  // No number while a notice is not filed. Numbers are given after the commit, so whoever posts waits for nobody.
  `alter table notification add column number bigint check (number > 0)`,
  `drop index notification_owner`,
  // By one expression, of which no statistics are kept: a planner that knows how few rows the average owner has, or takes two
  // columns for independent, expects few of an owner with millions, too, and sorts them all for a page.
  `create index notification_filed on notification ((coalesce(workspace_id, organization_id)), number)
    where number is not null`,
  `create index notification_unfiled on notification ((coalesce(workspace_id, organization_id)), created_at, id)
    where number is null`,
  `alter index notification_filed alter column 1 set statistics 0`,
  `alter index notification_unfiled alter column 1 set statistics 0`,

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
  // actor, where none is named. An entry of the organization itself has no workspace.
  `create index activity_of_actor on activity
    ((coalesce(workspace_id, organization_id)::text || ' ' || actor_type), created_at desc, id desc)`,
  `create index activity_of_resource on activity
    ((coalesce(workspace_id, organization_id)::text || ' ' || actor_type || ' ' || resource_type), created_at desc, id desc)`,
  `alter index activity_of_actor alter column 1 set statistics 0`,
  `alter index activity_of_resource alter column 1 set statistics 0`,
  `drop index activity_owner`,

  `alter table api_key add column expiry_told timestamptz`,
  `create index api_key_expiring on api_key (expires_at)
    where revoked_at is null and replaced_by is null and not disabled and expires_at is distinct from expiry_told`
])
