import { type RunReader, toRunPage } from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import { texts, timestamp } from "../columns.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { IS_WAITING } from "./questions.ts"
import { runTable } from "./runTable.ts"

/**
 * `RunReader.list`: one walk along `run_recent`, or along `run_of_agent` or `run_of_session` where the filter names one, or
 * along `run_unhappy` for those that failed or were cancelled, or `run_waiting` for those whose question is open. Each is in the order of the list.
 */
export const listRuns =
  (sql: SqlClient.SqlClient): RunReader["Service"]["list"] =>
  (workspaceId, { agentId, isWaiting, sessionId, since, status, tag, until }, { before, limit }) => {
    const conditions = [
      sql`run.workspace_id = ${workspaceId}`,
      ...(agentId === undefined ? [] : [sql`run.agent_id = ${agentId}`]),
      ...(sessionId === undefined ? [] : [sql`run.session_id = ${sessionId}`]),
      // Written into the text, so that every plan knows which of the partial indexes serves it; it is one of five words.
      ...(status === undefined ? [] : [sql`run.status = ${sql.literal(`'${status}'`)}`]),
      ...(isWaiting === true ? [sql.literal(IS_WAITING)] : []),
      // The second condition follows from the first, but only when it is said can the index of tagged runs serve.
      ...(tag === undefined ? [] : [sql`run.tags @> ${texts([tag])} and run.tags <> '{}'`]),
      ...(since === undefined ? [] : [sql`run.created_at >= ${timestamp(since)}`]),
      ...(until === undefined ? [] : [sql`run.created_at < ${timestamp(until)}`]),
      ...(before === undefined ? [] : [sql`(run.created_at, run.id) < (${timestamp(before.createdAt)}, ${before.id})`])
    ]
    return sql<Row>`
      select ${sql.literal(runTable.selected)} from agent_platform.run where ${sql.and(conditions)}
      order by run.created_at desc, run.id desc limit ${limit + 1}
    `.pipe(mapRows((rows) => toRunPage(runTable.readAll(rows), limit)))
  }
