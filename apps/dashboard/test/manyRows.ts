/** Rows that would take minutes to make by the API: copies of one that it made. */
import pg from "pg"
import type { Stage } from "./stage.ts"

const withDatabase = async <A>({ databaseUrl }: Pick<Stage, "databaseUrl">, use: (sql: pg.Client) => Promise<A>) => {
  const sql = new pg.Client(databaseUrl)
  await sql.connect()
  try {
    return await use(sql)
  } finally {
    await sql.end()
  }
}

/** Adds so many runs to the session of this one, each a minute older than the one before. Their ids sort before its own. */
export const addRunsLike = (stage: Pick<Stage, "databaseUrl">, runId: string, runs: number): Promise<void> =>
  withDatabase(stage, async (sql) => {
    await sql.query(
      `insert into agent_platform.run
       select copy.* from agent_platform.run, generate_series(1, $2::int) as place,
         lateral jsonb_populate_record(run, jsonb_build_object(
           'id', '00000000' || substr(md5(run.id || '/' || place), 9),
           'position', run.position + place,
           'created_at', run.created_at - place * interval '1 minute'
         )) as copy
       where run.id = $1`,
      [runId, runs]
    )
  })

/** Adds so many lines to the log of a run that goes on, whose agent says nothing meanwhile. */
export const addLinesTo = (stage: Pick<Stage, "databaseUrl">, runId: string, lines: number): Promise<void> =>
  withDatabase(stage, async (sql) => {
    await sql.query("begin")
    await sql.query(
      `insert into agent_platform.run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
       select workspace_id, id, session_id, last_seq + place, 'log', now(), attempt,
         jsonb_build_object('message', 'line ' || place)
       from agent_platform.run, generate_series(1, $2::int) as place where id = $1`,
      [runId, lines]
    )
    await sql.query("update agent_platform.run set last_seq = last_seq + $2 where id = $1", [runId, lines])
    await sql.query("commit")
  })
