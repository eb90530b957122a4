/**
 * What is asked of the queue for each job, on pg-boss's table: to put it in, to take it, and to delete it. pg-boss prepares its own
 * statements for each of these behind several promises, so that each goes out in a write of its own, after what was asked
 * for before it was sent; and an insert of its own, which can do more, takes Postgres twice as long.
 */
import type { Job } from "@agent-platform/kernel"
import type { SqlClient } from "effect/sql"
import { SCHEMA } from "./connection.ts"
import { JOB_SETTINGS, RETENTION_SECONDS } from "./queues.ts"

/** A job as it was taken. */
export interface TakenJob {
  readonly id: string
  readonly data: unknown
  /** pg-boss counts retries, we count attempts. */
  readonly retryCount: number
}

/** See `TakenJob`. */
export const retryCountOf = (job: Job<unknown>): number => job.attempt - 1

/** The jobs' ids, and what tells an attempt from those before it, as pg-boss has it. */
export const attemptsOf = (jobs: ReadonlyArray<Job<unknown>>) => ({
  ids: jobs.map(({ id }) => id),
  attempts: jobs.map((job) => `${job.id}:${retryCountOf(job)}`)
})

/** The statements. Names of queues are the house's own, and stand in the text: the planner finds the queue's table by them. */
export const jobStatements = (sql: SqlClient.SqlClient) => {
  const table = sql.literal(`${SCHEMA}.job`)
  const named = (name: string) => sql.literal(`'${name}'`)
  const columns = sql.literal(Object.keys(JOB_SETTINGS).join(", "))
  const settings = sql.literal(Object.values(JOB_SETTINGS).join(", "))
  const kept = sql.literal(`interval '${RETENTION_SECONDS} seconds'`)
  return {
    /** Puts a job in. The transaction fails, at its end, where the queue was not made. */
    insert: (
      name: string,
      payload: string,
      { priority, startAfter }: { readonly priority: number; readonly startAfter: Date | null }
    ) => sql`
      insert into ${table} (name, data, priority, start_after, keep_until, ${columns})
      select ${named(name)}, ${payload}::jsonb, ${priority}, start_after, start_after + ${kept}, ${settings}
      from coalesce(${startAfter}::timestamptz, now()) as start_after
    `,

    /** Takes jobs that are due: by priority, and of the same those that came first before others. */
    take: (name: string, max: number) => sql<TakenJob>`
      update ${table} set state = 'active', started_on = now(), heartbeat_on = now(),
        retry_count = case when started_on is null then retry_count else retry_count + 1 end
      where name = ${named(name)} and id = any(array(
        select id from ${table}
        where name = ${named(name)} and state < 'active' and not blocked and start_after <= now()
        order by priority desc, created_on limit ${max} for update skip locked
      ))
      returning id, data, retry_count as "retryCount"
    `,

    /** Deletes the jobs whose attempts are still the last, and answers their ids. */
    delete: (name: string, jobs: ReadonlyArray<Job<unknown>>) => {
      const { attempts, ids } = attemptsOf(jobs)
      return sql<{ readonly id: string }>`
        delete from ${table}
        where name = ${named(name)} and id = any(${ids}::uuid[]) and state = 'active'
          and id::text || ':' || retry_count = any(${attempts}::text[])
        returning id
      `
    }
  }
}
