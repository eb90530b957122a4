/** A store of agents that is broken on purpose: a suite that lets the fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { AgentStore } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { agentStoreContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Agents = AgentStore["Service"]

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

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
