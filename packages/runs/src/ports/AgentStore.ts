import type { Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Agent, AgentId } from "../Agent.ts"

/** Keeps agents. Held by `agentStoreContract` and `agentChangesContract`. */
export class AgentStore extends Context.Service<
  AgentStore,
  {
    readonly insert: (agent: Agent) => Effect.Effect<void, never, Transaction>
    /** The workspace's agent, unless it is archived. */
    readonly find: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined>
    /** The workspace's agent, archived or not. */
    readonly recall: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined>
    /** As `recall`, held until the transaction ends: nobody else changes it meanwhile. */
    readonly hold: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined, never, Transaction>
    /** Writes an agent that is held. Who it is and when it was created does not change. */
    readonly update: (agent: Agent) => Effect.Effect<void, never, Transaction>
    /** The workspace's agents that are not archived, newest first. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<Agent>>
  }
>()("@agent-platform/runs/AgentStore") {}
