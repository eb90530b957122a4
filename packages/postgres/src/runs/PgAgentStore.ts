import { toPage } from "@agent-platform/kernel"
import { type Agent, AgentStore } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { nullableTimestamp, timestamp, uuids } from "../columns.ts"
import { AGENT_COLUMNS, type AgentRow, fromSettings, toAgent } from "./agentRow.ts"
import { sealedOfAgents } from "./sealedOfAgents.ts"

/** Agents in the table `agent`. */
export const layer: Layer.Layer<AgentStore, never, SqlClient.SqlClient> = Layer.effect(
  AgentStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(AGENT_COLUMNS)
    const one = ([row]: ReadonlyArray<AgentRow>): Agent | undefined => row && toAgent(row)
    return AgentStore.of({
      holdCount: Effect.fnUntraced(function* (workspaceId, max) {
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`agent:${workspaceId}`}, 0))`
        const [row] = yield* sql<{ readonly count: number }>`
          select count(*)::int as count from (
            select from agent where workspace_id = ${workspaceId} and archived_at is null limit ${max}
          ) as live
        `
        return row?.count ?? 0
      }, Effect.orDie),

      insert: (agent) =>
        sql`insert into agent ${sql.insert({
          organization_id: agent.organizationId,
          workspace_id: agent.workspaceId,
          id: agent.id,
          ...fromSettings(agent),
          version: agent.version,
          created_at: timestamp(agent.createdAt),
          updated_at: timestamp(agent.updatedAt),
          archived_at: nullableTimestamp(agent.archivedAt)
        })}`.pipe(Effect.orDie, Effect.asVoid),

      find: (workspaceId, id) =>
        sql<AgentRow>`
          select ${columns} from agent where workspace_id = ${workspaceId} and id = ${id} and archived_at is null
        `.pipe(Effect.orDie, Effect.map(one)),

      recall: (workspaceId, id) =>
        sql<AgentRow>`select ${columns} from agent where workspace_id = ${workspaceId} and id = ${id}`.pipe(
          Effect.orDie,
          Effect.map(one)
        ),

      // Not a key lock: runs that refer to the agent are inserted while somebody changes it.
      hold: (workspaceId, id) =>
        sql<AgentRow>`
          select ${columns} from agent where workspace_id = ${workspaceId} and id = ${id} for no key update
        `.pipe(Effect.orDie, Effect.map(one)),

      // The insertion of its runs takes a weaker lock on the same row, so this one costs no write more.
      holdLive: (workspaceId, id) =>
        sql<AgentRow>`
          select ${columns} from agent
          where workspace_id = ${workspaceId} and id = ${id} and archived_at is null for share
        `.pipe(Effect.orDie, Effect.map(one)),

      tryHoldLive: (asked) => {
        const names = asked.map(({ id, workspaceId }) => `${workspaceId} ${id}`)
        const distinct = asked.filter((_, place) => names.indexOf(names[place] ?? "") === place)
        return sql<AgentRow>`
          select ${columns}
          from unnest(${uuids(distinct.map(({ workspaceId }) => workspaceId))}, ${uuids(distinct.map(({ id }) => id))})
            as asked (workspace_id, id)
          join agent on agent.workspace_id = asked.workspace_id and agent.id = asked.id
          where agent.archived_at is null for share of agent skip locked
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => {
            const held = new Map(rows.map((row) => [`${row.agent_workspace_id} ${row.agent_id}`, toAgent(row)]))
            return names.map((name) => held.get(name))
          })
        )
      },

      update: (agent) =>
        sql`
          update agent set ${sql.update({
            ...fromSettings(agent),
            version: agent.version,
            updated_at: timestamp(agent.updatedAt),
            archived_at: nullableTimestamp(agent.archivedAt)
          })}
          where workspace_id = ${agent.workspaceId} and id = ${agent.id}
        `.pipe(Effect.orDie, Effect.asVoid),

      list: (workspaceId, page) =>
        sql<AgentRow>`
          select ${columns} from agent
          where workspace_id = ${workspaceId} and archived_at is null
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toAgent), page.limit, (agent) => agent.id))
        ),

      ...sealedOfAgents(sql)
    })
  })
)
