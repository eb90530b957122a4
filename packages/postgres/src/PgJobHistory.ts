import {
  JobHistory,
  type JobRun,
  type JobRunId,
  type JobRunStatus,
  type JobTrigger,
  keptText,
  resumedFrom,
  toPage
} from "@agent-platform/kernel"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readNullableTimestamp, readTimestamp, timestamp } from "./columns.ts"

interface JobRunRow {
  readonly id: JobRunId
  readonly name: string
  readonly trigger: JobTrigger
  readonly holder: string
  readonly status: JobRunStatus
  readonly started_at: Date
  readonly finished_at: Date | null
  readonly items_done: number
  readonly progress_cursor: string | null
  readonly summary: string | null
  readonly error: string | null
}

const COLUMNS = `id, name, trigger, holder, status, started_at, finished_at, items_done::float8 as items_done,
  progress_cursor, summary, error`

const toJobRun = (row: JobRunRow): JobRun => ({
  id: row.id,
  name: row.name,
  trigger: row.trigger,
  holder: row.holder,
  status: row.status,
  startedAt: readTimestamp(row.started_at),
  finishedAt: readNullableTimestamp(row.finished_at),
  itemsDone: row.items_done,
  cursor: row.progress_cursor,
  summary: row.summary,
  error: row.error
})

/** The history of jobs in the table `job_run`. */
export const layer: Layer.Layer<JobHistory, never, SqlClient.SqlClient> = Layer.effect(
  JobHistory,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(COLUMNS)

    return JobHistory.of({
      begin: Effect.fnUntraced(function* (given) {
        yield* Effect.orDie(sql`
          update job_run set status = 'lost', finished_at = clock_timestamp()
          where name = ${given.name} and status = 'running'
        `)
        const [last] = yield* Effect.orDie(sql<JobRunRow>`
          select ${columns} from job_run where name = ${given.name} order by number desc limit 1
        `)
        const cursor = resumedFrom(last && toJobRun(last))
        const [begun] = yield* Effect.orDie(sql<JobRunRow>`
          insert into job_run (id, name, trigger, holder, status, started_at, items_done, progress_cursor)
          values (
            ${given.id}, ${given.name}, ${given.trigger}, ${given.holder}, 'running', clock_timestamp(), 0, ${cursor}
          ) returning ${columns}
        `)
        if (begun === undefined) return yield* Effect.die(new Error("A run that was inserted is there"))
        return toJobRun(begun)
      }),

      note: (id, { cursor, itemsDone }) =>
        sql`
          update job_run set items_done = ${itemsDone}, progress_cursor = ${cursor}
          where id = ${id} and status = 'running'
        `.pipe(Effect.orDie, Effect.asVoid),

      end: (id, { cursor, error, itemsDone, status, summary }) =>
        sql`
          update job_run set
            status = ${status}, finished_at = clock_timestamp(), items_done = ${itemsDone}, progress_cursor = ${cursor},
            summary = ${keptText(summary)}, error = ${keptText(error)}
          where id = ${id} and status = 'running' returning id
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length > 0)
        ),

      find: (id) =>
        sql<JobRunRow>`select ${columns} from job_run where id = ${id}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toJobRun(row))
        ),

      latest: sql<JobRunRow>`select distinct on (name) ${columns} from job_run order by name, number desc`.pipe(
        Effect.orDie,
        Effect.map((rows) => new Map(rows.map((row) => [row.name, toJobRun(row)])))
      ),

      list: (name, { before, limit }) =>
        sql<JobRunRow>`
          select ${columns} from job_run
          where true
            ${name === undefined ? sql.literal("") : sql`and name = ${name}`}
            ${before === undefined ? sql.literal("") : sql`and number < (select number from job_run where id = ${before})`}
          order by number desc limit ${limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toJobRun), limit, (run) => run.id))
        ),

      prune: ({ before, perJob }) =>
        sql`
          delete from job_run where id in (
            select id from (
              select id, started_at, row_number() over (partition by name order by number desc) as place from job_run
            ) as ranked
            where place > 1 and (place > ${perJob} or started_at < ${timestamp(before)})
          ) returning 1
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => rows.length)
        )
    })
  })
)
