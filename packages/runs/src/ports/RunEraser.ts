import type { ErasedCounts, Eraser, OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { AgentId } from "../Agent.ts"
import type { RunId } from "../Run.ts"
import type { SessionId } from "../Session.ts"
import type { HeldRun } from "./RunSettlement.ts"

/** Runs of a workspace: all of them, or those of one session, of one agent, or one alone. */
export interface RunSelection {
  readonly workspaceId: WorkspaceId
  readonly sessionId?: SessionId | undefined
  readonly agentId?: AgentId | undefined
  readonly runId?: RunId | undefined
}

/** Runs that can be removed. */
export interface RemovableRuns {
  readonly ids: ReadonlyArray<RunId>
  /** Whether there is no other run in the selection, removable or not. */
  readonly isLast: boolean
}

/**
 * Erases runs with their logs, sessions and agents. As an `Eraser` it erases what a workspace keeps beside its runs: sessions, and
 * agents with their secrets, inbound webhooks and schedules; where resources are named, the sessions and agents of these ids. Tested
 * by `runEraserContract`.
 */
export class RunEraser extends Context.Service<
  RunEraser,
  Eraser & {
    /** Closes a session: from then on it is not found, and no run joins it. False when there is none. */
    readonly closeSession: (workspaceId: WorkspaceId, id: SessionId) => Effect.Effect<boolean, never, Transaction>
    /**
     * How many runs and entries of their logs there are, each counted no further than `max`; where they are of an agent, or one alone,
     * also how many sessions go with them.
     */
    readonly countRuns: (selection: RunSelection, max: number) => Effect.Effect<ErasedCounts>
    /** The ids of up to `max` runs, in whatever state. */
    readonly idsOf: (selection: RunSelection, max: number) => Effect.Effect<ReadonlyArray<RunId>>
    /**
     * Up to `max` runs that have not ended: those of the selection, and others that are executed in the same sessions,
     * since these may have read what was said in them.
     */
    readonly unfinished: (selection: RunSelection, max: number) => Effect.Effect<ReadonlyArray<HeldRun>>
    /** Up to `max` runs of an organization that have not ended, in any of its workspaces. */
    readonly unfinishedOf: (organizationId: OrganizationId, max: number) => Effect.Effect<ReadonlyArray<HeldRun>>
    /**
     * Up to `max` runs that have ended, with their sessions locked until the transaction ends. Left out are runs of a session in which
     * one is executed, and runs whose outcome is not counted yet: `countedTo` is the `next` of the last portion of `RunOutcomes`.
     */
    readonly hold: (
      selection: RunSelection,
      portion: { readonly countedTo: string | undefined; readonly max: number }
    ) => Effect.Effect<RemovableRuns, never, Transaction>
    /**
     * Removes runs that `hold` returned, with their logs, and sessions that have no run left. In a session that has others these
     * keep their order, but its open questions are closed and all checkpoints go: they may repeat what was said.
     */
    readonly remove: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<RunId>
    ) => Effect.Effect<ErasedCounts, never, Transaction>
  }
>()("@agent-platform/runs/RunEraser") {}
