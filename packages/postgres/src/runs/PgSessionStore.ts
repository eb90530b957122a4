import { toPage, type WorkspaceId } from "@agent-platform/kernel"
import { messagesOf, OPENING_LENGTH_MAX, type SessionId, SessionStore, toBeginningPage } from "@agent-platform/runs"
import type { Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { timestamp } from "../columns.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { runTable } from "./runTable.ts"
import { sessionTable } from "./sessionTable.ts"

/** The columns of runs that hold messages. */
const spokenTable = runTable.pick("id", "prompt", "message", "paused", "trigger", "createdAt", "finishedAt")

/** A row of `spokenTable`, with the run's position and the data of the reply that started it. */
interface SpokenRow extends Row {
  readonly position: number
  readonly reply: Schema.Json
}

/** The columns of a session's first run that a list shows, but for the message. */
const begunTable = runTable.pick("id", "sessionId", "workspaceId", "agentId", "createdAt")

/** A row of `begunTable`, with the opening of the first message. */
interface BegunRow extends Row {
  readonly opening: string | null
}

const beginningIn = (row: BegunRow) => {
  const { id, ...others } = begunTable.read(row)
  return { ...others, runId: id, firstMessage: row.opening }
}

/** Sessions in the table `session`; what was said in them is in the table `run`. */
export const layer = layerSql(SessionStore)((sql) => {
  const columns = sql.literal(sessionTable.selected)
  const spoken = sql.literal(spokenTable.selected)
  const find = (workspaceId: WorkspaceId, id: SessionId, lock: Fragment) =>
    sql<Row>`
        select ${columns} from agent_platform.session where workspace_id = ${workspaceId} and id = ${id} and not closed ${lock}
      `.pipe(mapRows(sessionTable.readFirst))

  return {
    find: (workspaceId, id) => find(workspaceId, id, sql``),

    // This lock still allows runs to be inserted that refer to the session, as its holder does.
    hold: (workspaceId, id) => find(workspaceId, id, sql`for no key update`),

    // A run has one or two messages, whose places are twice the run's position and one more (`messagesOf`). `limit + 2` runs are enough
    // even if the first of them gives only one that is not seen yet.
    messages: (id, { before, limit }) =>
      sql<SpokenRow>`
          select ${spoken}, position, case when trigger_type = 'message' then input end as reply
          from agent_platform.run
          where session_id = ${id} and (prompt is not null or message is not null)
            ${before === undefined ? sql`` : sql`and position <= ${Math.floor(Number(before) / 2)}`}
          order by position desc limit ${limit + 2}
        `.pipe(
        mapRows((rows) => {
          const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before)
          const said = rows
            .flatMap((row) => messagesOf({ ...spokenTable.read(row), input: row.reply }, row.position).toReversed())
            .filter(({ place }) => place < end)
          return toPage(said.slice(0, limit + 1), limit, ({ place }) => String(place))
        })
      ),

    // One walk along the first runs in `run_in_order`, or in `run_of_agent` where the filter names one.
    beginnings: (workspaceId, { agentId, since, until }, { before, limit }) => {
      const conditions = [
        sql`run.workspace_id = ${workspaceId} and least(run.position, 2) = 1`,
        ...(agentId === undefined ? [] : [sql`run.agent_id = ${agentId}`]),
        ...(since === undefined ? [] : [sql`run.created_at >= ${timestamp(since)}`]),
        ...(until === undefined ? [] : [sql`run.created_at < ${timestamp(until)}`]),
        ...(before === undefined
          ? []
          : [sql`(run.created_at, run.id) < (${timestamp(before.createdAt)}, ${before.id})`])
      ]
      return sql<BegunRow>`
          select ${sql.literal(begunTable.selected)}, left(run.prompt, ${OPENING_LENGTH_MAX}::int) as opening
          from agent_platform.run where ${sql.and(conditions)}
          order by run.created_at desc, run.id desc limit ${limit + 1}
        `.pipe(mapRows((rows) => toBeginningPage(rows.map(beginningIn), limit)))
    }
  }
})
