import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"

/** The names of agents, which another domain has. */
export class AgentNames extends Context.Service<
  AgentNames,
  {
    /** The present names of those of the ids that are agents of these workspaces, by id. */
    readonly read: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      agentIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, string>>
  }
>()("@agent-platform/billing/AgentNames") {}
