/** The stores of `runs` over the kernel's `MemoryDatabase`. */
import { toPage } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Agent } from "../Agent.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import type { RunLog } from "../ports/RunLog.ts"
import type { RunStore } from "../ports/RunStore.ts"
import type { SessionStore } from "../ports/SessionStore.ts"
import { layerRunLog } from "./MemoryRunLog.ts"
import { layerRunStore } from "./MemoryRunStore.ts"
import { layerSessionStore } from "./MemorySessionStore.ts"

const layerAgentStore = Layer.effect(
  AgentStore,
  MemoryDatabase.use((database) => {
    const agents = database.table<Agent>("agent")
    return Effect.succeed(
      AgentStore.of({
        insert: (agent) => agents.put(agent.id, agent),
        find: (workspaceId, id) =>
          Effect.map(agents.get(id), (agent) => (agent?.workspaceId === workspaceId ? agent : undefined)),
        list: (workspaceId, page) =>
          Effect.map(agents.all, (all) => {
            const mine = all
              .filter(
                (agent) => agent.workspaceId === workspaceId && (page.before === undefined || agent.id < page.before)
              )
              .sort((one, two) => (one.id < two.id ? 1 : -1))
            return toPage(mine.slice(0, page.limit + 1), page.limit, (agent) => agent.id)
          })
      })
    )
  })
)

/** All stores. */
export const layer: Layer.Layer<
  AgentStore | SessionStore | RunStore | RunLog,
  never,
  MemoryDatabase | SecureRandom.SecureRandom
> = Layer.mergeAll(layerAgentStore, layerSessionStore, layerRunStore, layerRunLog)
