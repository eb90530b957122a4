/** The table of runs is the queue of those that wait: in the lines of their sessions, and fair between workspaces. */
import { statements } from "./statements.ts"

export const runQueue = statements([
  // The line of a session, numbered under the session's lock: ids come from the clocks of several machines.
  `alter table session add column last_position integer not null default 0`,
  `alter table run
    add column position integer,
    add column due_at timestamptz,
    add column ready boolean not null default false,
    add column question_cancelled_at timestamptz`,
  `update run set position = numbered.position
    from (select id, row_number() over (partition by session_id order by id) as position from run) as numbered
    where run.id = numbered.id`,
  `update session set last_position = counted.runs
    from (select session_id, count(*) as runs from run group by session_id) as counted
    where session.id = counted.session_id`,
  `alter table run alter column position set not null`,

  // due_at: when the first in line may go; null while others go before it. ready: that time has come. Of a thousand runs
  // that wait for one session one is in the index that claims read, and of those that wait for a time none.
  `update run set due_at = coalesce(run_at, created_at), ready = coalesce(run_at <= now(), true)
    where status = 'queued' and not exists (
      select 1 from run as other
      where other.session_id = run.session_id
        and (other.status = 'running' or (other.status = 'queued' and other.position < run.position))
    )`,
  `alter table run add check (due_at is null or status = 'queued'), add check (not ready or due_at is not null)`,

  `drop index run_unfinished`,
  `create unique index run_position on run (session_id, position)`,
  `create index run_unfinished on run (session_id, position) where status in ('queued', 'running')`,
  `create index run_ready on run (workspace_id, priority desc, due_at, id) where ready`,
  `create index run_scheduled on run (due_at) where due_at is not null and not ready`,
  `create index run_cancelling on run (cancel_requested_at) where status = 'running' and cancel_requested_at is not null`,
  `create index run_open_question on run (session_id, position)
    where paused and resumed_by_run_id is null and question_cancelled_at is null`
])
