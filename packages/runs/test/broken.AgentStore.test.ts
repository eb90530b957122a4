/** A store of agents that is broken on purpose: a suite that lets the fault through fails here. */
import { AgentStore } from "@agent-platform/runs"
import { agentStoreContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { memory } from "./runFault.ts"

type Agents = AgentStore["Service"]

const agentLayer = (broken: (store: Agents) => Partial<Agents>) =>
  Layer.provideMerge(
    Layer.effect(
      AgentStore,
      AgentStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
    ),
    memory
  )

bite(
  "a store of agents whose pages begin anew",
  () =>
    agentStoreContract(
      "a broken store",
      agentLayer((store) => ({
        list: (workspaceId, page) => store.list(workspaceId, { ...page, before: undefined })
      }))
    ),
  ["lists a workspace's agents, newest first, page by page, while others are being added"]
)
