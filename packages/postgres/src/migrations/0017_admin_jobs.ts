/** The history of scheduled jobs, its retention, and the networks that logins begin in. */
import { statements } from "./statements.ts"

export const adminJobs = statements([
  // Numbered by the database: ids come from the clocks of several machines.
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
    progress_cursor text,
    summary text,
    error text,
    check ((status = 'running') = (finished_at is null))
  )`,
  `create unique index job_run_number on job_run (number)`,
  `create index job_run_of_job on job_run (name, number)`,
  `create index job_run_running on job_run (name) where status = 'running'`,

  `create index webhook_replay_finished on webhook_replay (finished_at) where finished_at is not null`,

  // Logins that are not completed are counted by network.
  `alter table login_attempt add column client_network text not null default ''`,
  `create index login_attempt_network on login_attempt (client_network, expires_at)`
])
