import { JobHistory, type JobRun, keptText, resumedFrom, toPage } from "@agent-platform/kernel"
import { Effect } from "effect"
import { readTimestamp, texts, timestamp } from "./columns.ts"
import { bigint, named, nullable, text, timestamptz, uuid } from "./columnTypes.ts"
import { layerSql } from "./layerSql.ts"
import { mapRows } from "./mapRows.ts"
import { makeTable, type Row } from "./table.ts"

const jobRunTable = makeTable<JobRun>("job_run", {
  id: uuid(),
  name: text(),
  trigger: text(),
  holder: text(),
  status: text(),
  startedAt: timestamptz(),
  finishedAt: nullable(timestamptz()),
  itemsDone: bigint(),
  itemsTotal: nullable(bigint()),
  cursor: named("progress_cursor", nullable(text())),
  summary: nullable(text()),
  error: nullable(text())
})

/** The history of jobs in the table `job_run`. */
export const layer = layerSql(JobHistory)((sql) => {
  const columns = sql.literal(jobRunTable.selected)

  return {
    begin: Effect.fnUntraced(function* (given) {
      // The queue gives a job away only when its holder is gone, so a run of it that still stands as running is lost.
      yield* Effect.orDie(sql`
          update agent_platform.job_run set status = 'lost', finished_at = clock_timestamp()
          where name = ${given.name} and status = 'running'
        `)
      const last = yield* Effect.orDie(sql<Row>`
          select ${columns} from agent_platform.job_run where name = ${given.name} order by number desc limit 1
        `)
      const cursor = resumedFrom(jobRunTable.readFirst(last))
      const [begun] = yield* Effect.orDie(sql<Row>`
          insert into agent_platform.job_run (id, name, trigger, holder, status, started_at, items_done, progress_cursor)
          values (
            ${given.id}, ${given.name}, ${given.trigger}, ${given.holder}, 'running', clock_timestamp(), 0, ${cursor}
          ) returning ${columns}
        `)
      if (begun === undefined) return yield* Effect.die(new Error("A run that was inserted is there"))
      return jobRunTable.read(begun)
    }),

    note: (id, { cursor, itemsDone, itemsTotal }) =>
      sql`
          update agent_platform.job_run set items_done = ${itemsDone}, items_total = ${itemsTotal}, progress_cursor = ${cursor}
          where id = ${id} and status = 'running'
        `.pipe(Effect.orDie, Effect.asVoid),

    end: (id, { cursor, error, itemsDone, itemsTotal, status, summary }) =>
      sql`
          update agent_platform.job_run set
            status = ${status}, finished_at = clock_timestamp(), items_done = ${itemsDone}, items_total = ${itemsTotal},
            progress_cursor = ${cursor}, summary = ${keptText(summary)}, error = ${keptText(error)}
          where id = ${id} and status = 'running' returning id
        `.pipe(mapRows((rows) => rows.length > 0)),

    find: (id) =>
      sql<Row>`select ${columns} from agent_platform.job_run where id = ${id}`.pipe(mapRows(jobRunTable.readFirst)),

    latest: sql<Row>`select distinct on (name) ${columns} from agent_platform.job_run order by name, number desc`.pipe(
      mapRows((rows) => new Map(jobRunTable.readAll(rows).map((run) => [run.name, run])))
    ),

    // One look-up in the index for each job, however many of its runs failed since.
    lastSuccesses: (names) =>
      sql<{ readonly name: string; readonly finished_at: Date }>`
          select job.name, success.finished_at from unnest(${texts(names)}::text[]) as job (name)
          cross join lateral (
            select finished_at from agent_platform.job_run
            where job_run.name = job.name and status = 'succeeded' order by number desc limit 1
          ) as success
        `.pipe(mapRows((rows) => new Map(rows.map((row) => [row.name, readTimestamp(row.finished_at)])))),

    list: (name, { before, limit }) =>
      sql<Row>`
          select ${columns} from agent_platform.job_run
          where true
            ${name === undefined ? sql.literal("") : sql`and name = ${name}`}
            ${before === undefined ? sql.literal("") : sql`and number < (select number from agent_platform.job_run where id = ${before})`}
          order by number desc limit ${limit + 1}
        `.pipe(mapRows((rows) => toPage(jobRunTable.readAll(rows), limit, (run) => run.id))),

    prune: ({ before, max, perJob }) =>
      sql`
          delete from agent_platform.job_run where id in (
            select id from (
              select id, started_at, row_number() over (partition by name order by number desc) as place from agent_platform.job_run
            ) as ranked
            where place > 1 and (place > ${perJob} or started_at < ${timestamp(before)})
            limit ${max}
          ) returning 1
        `.pipe(mapRows((rows) => rows.length))
  }
})
