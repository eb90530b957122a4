import { toPage } from "@agent-platform/kernel"
import { AgentStore } from "@agent-platform/runs"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { texts, timestamp } from "../columns.ts"
import { AGENT_COLUMNS, type AgentRow, toAgent } from "./agentRow.ts"

/** Agents in the table `agent`. */
export const layer: Layer.Layer<AgentStore, never, SqlClient.SqlClient> = Layer.effect(
  AgentStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(AGENT_COLUMNS)
    return AgentStore.of({
      insert: (agent) =>
        sql`insert into agent ${sql.insert({
          organization_id: agent.organizationId,
          workspace_id: agent.workspaceId,
          id: agent.id,
          name: agent.name,
          description: agent.description,
          recipe: agent.recipe,
          recipes: texts(agent.recipes),
          model: agent.model,
          instructions: agent.instructions,
          max_cost_usd: agent.maxCostUsd,
          version: agent.version,
          created_at: timestamp(agent.createdAt),
          updated_at: timestamp(agent.updatedAt)
        })}`.pipe(Effect.orDie, Effect.asVoid),

      find: (workspaceId, id) =>
        sql<AgentRow>`select ${columns} from agent where workspace_id = ${workspaceId} and id = ${id}`.pipe(
          Effect.orDie,
          Effect.map(([row]) => row && toAgent(row))
        ),

      list: (workspaceId, page) =>
        sql<AgentRow>`
          select ${columns} from agent
          where workspace_id = ${workspaceId}
            ${page.before === undefined ? sql.literal("") : sql`and id < ${page.before}`}
          order by id desc limit ${page.limit + 1}
        `.pipe(
          Effect.orDie,
          Effect.map((rows) => toPage(rows.map(toAgent), page.limit, (agent) => agent.id))
        )
    })
  })
)
