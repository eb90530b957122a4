import { toPage } from "@agent-platform/kernel"
import { AGENT_VERSIONS_MAX, type Agent, type AgentId, AgentStore, versionOf } from "@agent-platform/runs"
import { Effect } from "effect"
import { uuids } from "../columns.ts"
import { holdAndCount } from "../holdName.ts"
import { layerSql } from "../layerSql.ts"
import { mapRows } from "../mapRows.ts"
import type { Row } from "../table.ts"
import { agentTable } from "./agentTable.ts"
import { agentVersionTable } from "./agentVersionTable.ts"
import { sealedOfAgents } from "./sealedOfAgents.ts"

/** The columns that an update of an agent writes. */
const changeable = agentTable.omit("id", "organizationId", "workspaceId", "createdAt")

/** Agents in the table `agent`. */
export const layer = layerSql(AgentStore)((sql) => {
  const names = sql.literal(agentTable.names)
  const columns = sql.literal(agentTable.selected)
  const assigned = sql.literal(changeable.assignedFrom("changed"))
  const versionNames = sql.literal(agentVersionTable.names)

  /** Keeps the agent's version, and forgets the one that is too old then. */
  const keepVersion = (agent: Agent) =>
    sql`
      with forgotten as (
        delete from agent_platform.agent_version
        where workspace_id = ${agent.workspaceId} and agent_id = ${agent.id}
          and version = ${agent.version - AGENT_VERSIONS_MAX}
      )
      insert into agent_platform.agent_version (${versionNames}) ${agentVersionTable.rowsOf([versionOf(agent)])}
      on conflict do nothing
    `.pipe(Effect.orDie, Effect.asVoid)

  return {
    holdCount: (workspaceId, max) => {
      const live = sql`agent_platform.agent where workspace_id = ${workspaceId} and archived_at is null`
      return holdAndCount(sql, `agent:${workspaceId}`, live, max)
    },

    insert: (agent) =>
      sql`insert into agent_platform.agent (${names}) ${agentTable.rowsOf([agent])}`.pipe(
        Effect.orDie,
        Effect.andThen(keepVersion(agent))
      ),

    find: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.agent where workspace_id = ${workspaceId} and id = ${id} and archived_at is null
        `.pipe(mapRows(agentTable.readFirst)),

    recall: (workspaceId, id) =>
      sql<Row>`select ${columns} from agent_platform.agent where workspace_id = ${workspaceId} and id = ${id}`.pipe(
        mapRows(agentTable.readFirst)
      ),

    // This lock lets others insert runs that refer to the agent.
    hold: (workspaceId, id) =>
      sql<Row>`
          select ${columns} from agent_platform.agent where workspace_id = ${workspaceId} and id = ${id} for no key update
        `.pipe(mapRows(agentTable.readFirst)),

    // Inserting runs of the agent locks its row anyway, so this lock costs no further write.
    holdLive: (asked, whenHeld) => {
      const keys = asked.map(({ id, workspaceId }) => `${workspaceId} ${id}`)
      const distinct = asked.filter((_, place) => keys.indexOf(keys[place] ?? "") === place)
      return sql<Row>`
          select ${columns}
          from unnest(${uuids(distinct.map(({ workspaceId }) => workspaceId))}, ${uuids(distinct.map(({ id }) => id))})
            as asked (workspace_id, id)
          join agent_platform.agent on agent.workspace_id = asked.workspace_id and agent.id = asked.id
          where agent.archived_at is null for share of agent ${sql.literal(whenHeld === "skip" ? "skip locked" : "")}
        `.pipe(
        mapRows((rows) => {
          const agents = agentTable.readAll(rows)
          const held = new Map(agents.map((agent) => [`${agent.workspaceId} ${agent.id}`, agent]))
          return keys.map((key) => held.get(key))
        })
      )
    },

    update: (agent) =>
      sql`
          update agent_platform.agent set ${assigned} from (${changeable.rowsOf([agent])}) as changed
          where agent.workspace_id = ${agent.workspaceId} and agent.id = ${agent.id}
        `.pipe(Effect.orDie, Effect.andThen(keepVersion(agent))),

    list: (workspaceId, page) =>
      sql<Row>`
          select ${columns} from agent_platform.agent
          where workspace_id = ${workspaceId} and archived_at is null
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(mapRows((rows) => toPage(agentTable.readAll(rows), page.limit, (agent) => agent.id))),

    versions: (workspaceId, id, page) =>
      sql<Row>`
          select ${sql.literal(agentVersionTable.selected)} from agent_platform.agent_version
          where workspace_id = ${workspaceId} and agent_id = ${id}
            ${page.before === undefined ? sql.literal("") : sql`and version < ${Number(page.before)}`}
          order by version desc limit ${page.limit + 1}
        `.pipe(
        mapRows((rows) => toPage(agentVersionTable.readAll(rows), page.limit, ({ version }) => String(version)))
      ),

    names: (workspaceIds, ids) =>
      sql<{ readonly id: AgentId; readonly name: string }>`
          select id, name from agent_platform.agent where workspace_id = any(${uuids(workspaceIds)}) and id = any(${uuids(ids)})
        `.pipe(mapRows((rows) => new Map(rows.map(({ id, name }) => [id, name])))),

    ...sealedOfAgents(sql)
  }
})
