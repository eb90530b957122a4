import { toPage } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import { type Agent, isLive } from "../Agent.ts"
import { AgentStore } from "../ports/AgentStore.ts"

/** Agents over a `MemoryDatabase`. */
export const layerAgentStore: Layer.Layer<AgentStore, never, MemoryDatabase> = Layer.effect(
  AgentStore,
  MemoryDatabase.use((database) => {
    const agents = database.table<Agent>("agent")
    const recall: AgentStore["Service"]["recall"] = (workspaceId, id) =>
      Effect.map(agents.get(id), (agent) => (agent?.workspaceId === workspaceId ? agent : undefined))
    return Effect.succeed(
      AgentStore.of({
        insert: (agent) => agents.put(agent.id, agent),
        find: (workspaceId, id) =>
          Effect.map(recall(workspaceId, id), (agent) => (agent !== undefined && isLive(agent) ? agent : undefined)),
        recall,
        // Transactions in memory run one after another, which is hold enough.
        hold: recall,
        update: (agent) => agents.put(agent.id, agent),
        list: (workspaceId, page) =>
          Effect.map(agents.all, (all) => {
            const mine = all
              .filter((agent) => agent.workspaceId === workspaceId && isLive(agent))
              .filter((agent) => page.before === undefined || agent.id < page.before)
              .sort((one, two) => (one.id < two.id ? 1 : -1))
            return toPage(mine.slice(0, page.limit + 1), page.limit, (agent) => agent.id)
          })
      })
    )
  })
)
