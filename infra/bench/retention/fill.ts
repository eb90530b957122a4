/** Runs that have ended, each in a session of its own and with a log, made by the database itself. */
import { ask } from "../database.ts"

const DAY_MILLIS = 86_400_000

/** Entries of each run's log. */
const LOG_ENTRIES = 4

interface Owner {
  readonly workspace_id: string
  readonly agent_id: string
}

/** A UUIDv7 of these milliseconds that ends in the number: the same numbers of one kind give the same ids. */
const idOf = (millis: string, number: string, kind: number) =>
  `encode(int8send((${millis} << 16) | x'7000'::bigint | (${number} & 4095)) || int8send(x'8${kind}00000000000000'::bit(64)::bigint | ${number}), 'hex')::uuid`

/**
 * Fills the tables of runs with `total` that have ended, evenly over the days: `old` of them earlier than `days` ago, the others
 * since. Triggers and foreign keys are off meanwhile: `session_replication_role` is that of a copy of a database. One block does it all,
 * since `set local` holds for one transaction.
 */
export const fillRuns = async (
  superuserUrl: string,
  { agent_id, workspace_id }: Owner,
  { days, old, total }: { readonly total: number; readonly old: number; readonly days: number }
): Promise<void> => {
  const now = Date.now()
  const bound = now - days * DAY_MILLIS
  // The old ones in the thirty days before the bound, the others in the days since; none within a minute of it.
  const millis = `case when n <= ${old} then ${bound - 30 * DAY_MILLIS} + n * ${30 * DAY_MILLIS - 60_000} / ${old}
    else ${bound + 60_000} + (n - ${old}) * ${days * DAY_MILLIS - 120_000} / ${total - old} end`
  const made = `
    select n, millis, to_timestamp(millis / 1000.0) as at, ${idOf("millis", "n", 1)} as session_id, ${idOf("millis", "n", 2)} as id
    from (select n, (${millis})::bigint as millis from generate_series(1::bigint, ${total}) as n) as timed
  `
  const workspace = `(select * from agent_platform.workspace where id = '${workspace_id}') as workspace`
  await ask(
    superuserUrl,
    `do $$ begin
      set local session_replication_role = replica;
      insert into agent_platform.session (organization_id, workspace_id, id, last_position, created_at)
        select organization_id, workspace.id, session_id, 1, at from (${made}) as made, ${workspace};
      insert into agent_platform.run (organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, prompt,
          message, interrupt_truncated, attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, started_at,
          finished_at, cost_usd, requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
          metadata, last_seq)
        select organization_id, workspace.id, made.id, session_id, 1, '${agent_id}', 'demo', 'succeeded', false, 'hello',
          'Hello, hello', false, 1, 3, 600, 0, 'api', at, at, at + interval '1 second', 0, 1, 10, 0, 0, 10, 0, '{}', ${LOG_ENTRIES}
        from (${made}) as made, ${workspace};
      insert into agent_platform.run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
        select '${workspace_id}', id, session_id, seq, 'log', at, 1, '{"text": "What a run says while it works"}'
        from (${made}) as made, generate_series(1, ${LOG_ENTRIES}) as seq;
      insert into agent_platform.run_spend (workspace_id, run_id, spent_usd, last_seq)
        select '${workspace_id}', id, 0.01, 1 from (${made}) as made;
    end $$`
  )
}
