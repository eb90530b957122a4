import type { Job } from "@agent-platform/kernel"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { SCHEMA } from "./connection.ts"
import { attemptsOf } from "./jobStatements.ts"

/** The jobs that this process holds, and the sign of life for all of them. */
export interface HeldJobs {
  readonly add: (jobs: ReadonlyArray<Job<unknown>>) => void
  readonly remove: (jobs: ReadonlyArray<Job<unknown>>) => void
  /** Says once that their holder lives. A job that is lost already is not got back by it. */
  readonly beat: Effect.Effect<void>
}

/**
 * Not by pg-boss's `touch`, which waits for rows that a transaction has locked. A job that is being completed is such a
 * row: the sign of life of all the others would wait as long as that transaction lasts, or end in a deadlock with it.
 */
export const makeHeldJobs = (sql: SqlClient.SqlClient): HeldJobs => {
  const held = new Map<string, Map<string, Job<unknown>>>()
  const job = sql.literal(`${SCHEMA}.job`)

  const beat = (name: string, jobs: ReadonlyArray<Job<unknown>>) => {
    const { attempts, ids } = attemptsOf(jobs)
    return sql`
      with held as (
        select id from ${job}
        where name = ${name} and id = any(${ids}::uuid[]) and state = 'active'
          and id::text || ':' || retry_count = any(${attempts}::text[])
        for update skip locked
      )
      update ${job} set heartbeat_on = now() from held where job.name = ${name} and job.id = held.id
    `.pipe(Effect.orDie, Effect.asVoid)
  }

  return {
    add: (jobs) => {
      for (const one of jobs) {
        const ofKind = held.get(one.kind.name) ?? new Map<string, Job<unknown>>()
        held.set(one.kind.name, ofKind.set(one.id, one))
      }
    },
    remove: (jobs) => {
      for (const one of jobs) {
        const ofKind = held.get(one.kind.name)
        if (ofKind?.get(one.id)?.attempt === one.attempt) ofKind.delete(one.id)
      }
    },
    beat: Effect.suspend(() =>
      Effect.forEach(held, ([name, jobs]) => (jobs.size === 0 ? Effect.void : beat(name, [...jobs.values()])), {
        discard: true
      })
    )
  }
}
