import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Run } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"

/** A run as it is added. */
export interface AddedRun {
  readonly run: Run
  /** How its log begins. */
  readonly events: ReadonlyArray<NewRunEvent>
  /** Whether its session begins with it. Else it goes to the end of the line of one that the transaction holds. */
  readonly beginsSession: boolean
}

/** Takes in runs that are accepted, and says how full queues are. Held by `runStoreContract`. */
export class RunAcceptance extends Context.Service<
  RunAcceptance,
  {
    /** Adds runs of different sessions, with the sessions that begin with them and the beginnings of their logs. */
    readonly insert: (added: ReadonlyArray<AddedRun>) => Effect.Effect<void, never, Transaction>
    /** How many runs of the workspace are queued, counted up to `limit`. */
    readonly countQueued: (workspaceId: WorkspaceId, limit: number) => Effect.Effect<number>
    /** Keeps everybody else who asks for it out of the workspace's queue until the transaction ends. */
    readonly holdQueue: (workspaceId: WorkspaceId) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/runs/RunAcceptance") {}
