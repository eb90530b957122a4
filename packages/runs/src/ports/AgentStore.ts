import type { Page, PageRequest, SealedValue, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Agent, AgentId } from "../Agent.ts"
import type { AgentVersion } from "../AgentVersion.ts"

/** Keeps agents. Tested by `agentStoreContract`, `agentChangesContract` and `agentSecretsContract`. */
export class AgentStore extends Context.Service<
  AgentStore,
  {
    /**
     * How many agents of the workspace are not archived, counted no further than `max`. Until the transaction ends nobody
     * else counts them.
     */
    readonly holdCount: (workspaceId: WorkspaceId, max: number) => Effect.Effect<number, never, Transaction>
    /** Writes a new agent, and keeps its first version. */
    readonly insert: (agent: Agent) => Effect.Effect<void, never, Transaction>
    /** The workspace's agent, unless it is archived. */
    readonly find: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined>
    /** The workspace's agent, archived or not. */
    readonly recall: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined>
    /** As `recall`, held until the transaction ends: nobody else changes it meanwhile. */
    readonly hold: (workspaceId: WorkspaceId, id: AgentId) => Effect.Effect<Agent | undefined, never, Transaction>
    /**
     * As `find` for several, in the order of `asked`. They cannot be changed or archived until the transaction ends; many
     * transactions may hold one at once. An agent that is being changed at this moment is waited for, or undefined with "skip".
     */
    readonly holdLive: (
      asked: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly id: AgentId }>,
      whenHeld: "wait" | "skip"
    ) => Effect.Effect<ReadonlyArray<Agent | undefined>, never, Transaction>
    /**
     * Writes an agent that is held. Who it is and when it was created does not change. Its version is kept beside the last
     * `AGENT_VERSIONS_MAX - 1` before it; one that is kept already stays as it is.
     */
    readonly update: (agent: Agent) => Effect.Effect<void, never, Transaction>
    /** The workspace's agents that are not archived, newest first. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<Agent>>
    /** The kept versions of the workspace's agent, the latest first. A position is a version, as text. */
    readonly versions: (workspaceId: WorkspaceId, id: AgentId, page: PageRequest) => Effect.Effect<Page<AgentVersion>>
    /** The names of those of the ids that are agents of these workspaces, archived or not. */
    readonly names: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      ids: ReadonlyArray<AgentId>
    ) => Effect.Effect<ReadonlyMap<AgentId, string>>
    /**
     * Up to `limit` sealed values of every workspace's agents, archived ones included, behind a position and in its order:
     * the secret of an agent's endpoint, and the headers of each of its servers, at places of their own.
     */
    readonly sealedSecrets: (after: string | undefined, limit: number) => Effect.Effect<ReadonlyArray<SealedValue>>
    /**
     * Puts `resealed` in the place of a value that is still `value.sealed`; false when it is not. Nothing else of the agent
     * changes, its version neither, and what others change of it meanwhile is kept.
     */
    readonly replaceSealedSecret: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/runs/AgentStore") {}
