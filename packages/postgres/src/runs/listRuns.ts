import type { WorkspaceId } from "@agent-platform/kernel"
import {
  OPENING_LENGTH_MAX,
  type RunFilter,
  type RunPageRequest,
  type RunReader,
  toRunPage
} from "@agent-platform/runs"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { texts, timestamp } from "../columns.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { IS_WAITING } from "./questions.ts"
import { runTable } from "./runTable.ts"

/**
 * The rows of a page, each with `columns`: a merge of two walks along `run_in_order`, or along `run_of_agent` where the filter names an
 * agent, because these indexes have the first runs of sessions apart from the later ones. Where the filter names a session, a tag, failed
 * or cancelled runs, or open questions, it is one walk along an index of those. Each walk is in the order of the list.
 */
const makePages =
  <Read extends Row>(sql: SqlClient.SqlClient, columns: Fragment) =>
  (
    workspaceId: WorkspaceId,
    { agentId, isWaiting, sessionId, since, status, tag, until }: RunFilter,
    { before, limit }: RunPageRequest
  ) => {
    const conditions = [
      sql`run.workspace_id = ${workspaceId}`,
      ...(agentId === undefined ? [] : [sql`run.agent_id = ${agentId}`]),
      ...(sessionId === undefined ? [] : [sql`run.session_id = ${sessionId}`]),
      // Written into the text, so that every plan knows which of the partial indexes serves it; it is one of five words.
      ...(status === undefined ? [] : [sql`run.status = ${sql.literal(`'${status}'`)}`]),
      ...(isWaiting === true ? [sql.literal(IS_WAITING)] : []),
      ...(tag === undefined ? [] : [sql`run.tags @> ${texts([tag])}`]),
      ...(since === undefined ? [] : [sql`run.created_at >= ${timestamp(since)}`]),
      ...(until === undefined ? [] : [sql`run.created_at < ${timestamp(until)}`]),
      ...(before === undefined ? [] : [sql`(run.created_at, run.id) < (${timestamp(before.createdAt)}, ${before.id})`])
    ]
    const inOrder = sql`order by run.created_at desc, run.id desc limit ${limit + 1}`
    const walk = (condition: Fragment) =>
      sql`select ${columns} from agent_platform.run where ${sql.and([...conditions, condition])} ${inOrder}`
    const hasOwnIndex =
      sessionId !== undefined ||
      tag !== undefined ||
      isWaiting === true ||
      status === "failed" ||
      status === "cancelled"
    const merged = () => sql`
      select run.* from (
        (${walk(sql`least(run.position, 2) = 1`)}) union all (${walk(sql`least(run.position, 2) = 2`)})
      ) as run ${inOrder}
    `
    return sql<Read>`${hasOwnIndex ? walk(sql`true`) : merged()}`
  }

/** `RunReader.list`. */
export const listRuns = (sql: SqlClient.SqlClient): RunReader["Service"]["list"] => {
  const pages = makePages<Row>(sql, sql.literal(runTable.selected))
  return (workspaceId, filter, page) =>
    pages(workspaceId, filter, page).pipe(mapRows((rows) => toRunPage(runTable.readAll(rows), page.limit)))
}

const openedTable = runTable.pick("id", "sessionId", "createdAt")

/** A row of `openedTable`, with the opening of the message. */
interface OpenedRow extends Row {
  readonly opening: string | null
}

/** `RunReader.openings`. */
export const listOpenings = (sql: SqlClient.SqlClient): RunReader["Service"]["openings"] => {
  const opening = sql`left(run.prompt, ${OPENING_LENGTH_MAX}::int) as opening`
  const pages = makePages<OpenedRow>(sql, sql`${sql.literal(openedTable.selected)}, ${opening}`)
  return (workspaceId, filter, page) =>
    pages(workspaceId, filter, page).pipe(
      mapRows((rows) => {
        const opened = rows.map((row) => ({ ...openedTable.read(row), opening: row.opening }))
        return toRunPage(opened, page.limit)
      })
    )
}
