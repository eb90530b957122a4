/** People, and the boundaries between workspaces. */
import { statements } from "./statements.ts"

export const tenancy = statements([
  `alter table workspace
    add column monthly_cap_usd numeric(24, 12) check (monthly_cap_usd >= 0),
    add column allow_platform_keys boolean not null default false,
    add column next_timezone text,
    add column next_timezone_from timestamptz,
    add check ((next_timezone is null) = (next_timezone_from is null))`,

  // A person belongs to no tenant: the same one may be a member of several organizations.
  `create table app_user (
    id uuid primary key,
    issuer text not null,
    subject text not null,
    email text not null,
    name text not null,
    created_at timestamptz not null,
    unique (issuer, subject)
  )`,

  `create table member (
    organization_id uuid not null references organization (id),
    id uuid not null,
    email text not null,
    organization_role text check (organization_role in ('owner', 'admin')),
    user_id uuid references app_user (id),
    invited_by_type text not null,
    invited_by_id text not null,
    invited_by_label text not null,
    invited_at timestamptz not null,
    joined_at timestamptz,
    primary key (organization_id, id),
    unique (organization_id, email),
    unique (organization_id, user_id),
    check ((user_id is null) = (joined_at is null))
  )`,
  `create index member_user on member (user_id) where user_id is not null`,
  `create index member_invited on member (email) where user_id is null`,

  `create table member_workspace (
    organization_id uuid not null,
    member_id uuid not null,
    workspace_id uuid not null,
    role text not null check (role in ('member', 'viewer')),
    primary key (organization_id, member_id, workspace_id),
    foreign key (organization_id, member_id) references member (organization_id, id) on delete cascade,
    foreign key (organization_id, workspace_id) references workspace (organization_id, id)
  )`,

  // The second boundary: the database refuses a row that refers to another tenant's.
  `alter table agent add foreign key (organization_id, workspace_id) references workspace (organization_id, id)`,
  `alter table session add foreign key (organization_id, workspace_id) references workspace (organization_id, id)`,
  // The same index serves the costs of a workspace's runs of a month.
  `alter table run
    add unique (workspace_id, id),
    add foreign key (organization_id, workspace_id) references workspace (organization_id, id),
    add foreign key (workspace_id, resumes_run_id) references run (workspace_id, id),
    add foreign key (workspace_id, resumed_by_run_id) references run (workspace_id, id)`,

  // Logs are checked once a statement, as a foreign key would lock the run for every row. The inner query is one that the planner
  // does not turn into a join, so that it always uses the run's id.
  `create function run_event_stays_in_its_run() returns trigger language plpgsql as $$
    begin
      if exists (
        select from (select distinct workspace_id, run_id, session_id from written) as named
        where not coalesce(
          (
            select run.workspace_id = named.workspace_id and run.session_id = named.session_id
            from run where run.id = named.run_id
          ),
          false
        )
      ) then
        raise foreign_key_violation using
          message = 'A log entry names no run of its workspace and session',
          table = 'run_event', constraint = 'run_event_stays_in_its_run';
      end if;
      return null;
    end
  $$`,
  `create trigger run_event_inserted after insert on run_event
    referencing new table as written for each statement execute function run_event_stays_in_its_run()`,
  `create trigger run_event_updated after update on run_event
    referencing new table as written for each statement execute function run_event_stays_in_its_run()`
])
