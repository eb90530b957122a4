import type { Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Agent, AgentId } from "../Agent.ts"

/** Keeps agents. Held by `agentStoreContract`. */
export class AgentStore extends Context.Service<
  AgentStore,
  {
    readonly insert: (agent: Agent) => Effect.Effect<void, never, Transaction>
    readonly find: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined>
    /** The workspace's agents, newest first. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<Agent>>
  }
>()("@agent-platform/runs/AgentStore") {}
