/** Activity and notices, written in the transactions that cause them, and how far each workspace has read its notices. */
import type { Step } from "./Step.ts"

/** One column for the owner of notices: the workspace, or the organization where there is none. */
const OWNER = "owner_id uuid not null generated always as (coalesce(workspace_id, organization_id)) stored"

const tables = [
  // `tallied_as`: the key of an entry that counts repetitions, until `tallied_until`, the end of a minute by the database's clock.
  // `recorded_xid`: entries of transactions with a number below all open ones are complete, and none is added to them.
  // Ids that are UUIDs are kept as such, in less than half the room; a word in the place of one is in the column beside it. Columns are in
  // the order of their alignment.
  // `owner_id`: the organization, of entries that are its own; null, and without any room, where they are a workspace's.
  `create table activity (
    created_at timestamptz not null,
    recorded_xid xid8 not null default pg_current_xact_id(),
    tallied_until timestamptz,
    organization_id uuid not null,
    workspace_id uuid,
    owner_id uuid generated always as (case when workspace_id is null then organization_id end) stored,
    id uuid primary key,
    actor_id uuid,
    resource_id uuid,
    actor_type text not null check (actor_type in ('user', 'agent', 'system')),
    actor_word text,
    actor_label text not null,
    action text not null,
    resource_type text not null,
    resource_word text,
    summary text not null,
    payload json not null,
    tallied_as text,
    check ((actor_id is null) = (actor_word is not null)),
    check ((resource_id is null) = (resource_word is not null)),
    check ((tallied_as is null) = (tallied_until is null))
  )`,
  // A list of activity merges a few walks along this index, one for each kind of resource and actor; where it shows what is the
  // organization's own, walks along the next one, too. Each walk is in the order of the list. These indexes and `activity_recorded` leave
  // out the id, by which a page sorts the few entries of one moment or transaction.
  `create index activity_of_kind on activity (workspace_id, resource_type, actor_type, created_at desc)
    where workspace_id is not null`,
  `create index activity_of_organization on activity (owner_id, resource_type, actor_type, created_at desc)
    where owner_id is not null`,
  // For exports to auditors: in the order of transactions.
  `create index activity_recorded on activity (organization_id, recorded_xid)`,
  `create unique index activity_tallied on activity (organization_id, tallied_as, tallied_until)
    where tallied_as is not null`,

  // For lists of what was done to one resource, and for erasures.
  `create index activity_about on activity (resource_id)`,
  // Words are those of many owners.
  `create index activity_about_word on activity (resource_word, workspace_id, owner_id) where resource_word is not null`,
  // For erasures: entries by a person, and entries that name an e-mail address.
  `create index activity_by on activity (actor_id) where actor_type = 'user'`,
  `create index activity_of_member on activity ((payload->>'email')) where resource_type = 'member'`,

  // A notice has no number until it is filed. Numbers are given after the commit, so that posting never waits.
  `create table notification (
    organization_id uuid not null,
    workspace_id uuid,
    id uuid primary key,
    type text not null,
    about uuid,
    title text not null,
    body text not null,
    payload jsonb not null,
    created_at timestamptz not null,
    ${OWNER},
    number bigint check (number > 0)
  )`,
  `create index notification_filed on notification (owner_id, number) where number is not null`,
  `create index notification_unfiled on notification (owner_id, created_at, id) where number is null`,
  // For notices that are counted together, and for those that are closed.
  `create index notification_about on notification (owner_id, about, created_at) where about is not null`,

  // Closings since the last filing of their workspace's notices. They are kept apart so that closing never waits, either.
  `create table notification_closing (
    organization_id uuid not null,
    workspace_id uuid not null,
    id uuid not null,
    about uuid not null,
    title text not null,
    primary key (workspace_id, id)
  )`,

  // For erasures.
  `create index notification_of_run on notification ((payload->>'run_id')) where payload ? 'run_id'`,

  // With `n_distinct = 1` the planner expects many rows of every owner: expecting few, it would fetch and sort all rows of an
  // owner with millions for a page.
  ...[
    "notification.owner_id",
    "activity.workspace_id",
    "activity.owner_id",
    "activity.actor_type",
    "activity.resource_type"
  ].map((column) => {
    const [table, name] = column.split(".")
    return `alter table ${table} alter column ${name} set (n_distinct = 1)`
  }),
  // And few of a moment or a transaction: expecting many, it would sort all that is left for each page.
  ...["created_at", "recorded_xid"].map(
    (column) => `alter table activity alter column ${column} set (n_distinct = -0.5)`
  ),

  // How many numbers were given to a workspace's notices, or to an organization's, and up to which number they were forgotten.
  `create table notification_tally (
    organization_id uuid not null,
    workspace_id uuid,
    filed bigint not null default 0,
    forgotten bigint not null default 0,
    check (forgotten between 0 and filed)
  ) with (fillfactor = 50)`,
  `create unique index notification_tally_owner on notification_tally ((coalesce(workspace_id, organization_id)))`,

  // The numbers up to which a workspace has read all of its own notices and all of its organization's, and how many notices
  // beyond those it has read one by one, which are in notification_read.
  `create table notification_reader (
    organization_id uuid not null,
    workspace_id uuid not null,
    read_own bigint not null default 0,
    read_shared bigint not null default 0,
    read_beyond bigint not null default 0 check (read_beyond >= 0),
    primary key (organization_id, workspace_id)
  ) with (fillfactor = 50)`,
  `create table notification_read (
    notification_id uuid not null references notification (id),
    organization_id uuid not null,
    workspace_id uuid not null,
    primary key (notification_id, workspace_id)
  )`
]

export const feeds: ReadonlyArray<Step> = [{ name: "first", statements: () => tables }]
