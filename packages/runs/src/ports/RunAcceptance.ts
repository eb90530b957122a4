import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Run } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"

/** A run as it is added. */
export interface AddedRun {
  readonly run: Run
  /** The first events of its log. */
  readonly events: ReadonlyArray<NewRunEvent>
  /** Whether the run begins its session. Else it joins the end of a session that the transaction holds. */
  readonly beginsSession: boolean
}

/** Takes in runs that are accepted, and says how full queues are. Tested by `runStoreContract`. */
export class RunAcceptance extends Context.Service<
  RunAcceptance,
  {
    /** Adds runs of different sessions, with the sessions that they begin and the first events of their logs. */
    readonly insert: (added: ReadonlyArray<AddedRun>) => Effect.Effect<void, never, Transaction>
    /** How many runs of the workspace are queued, counted up to `limit`. */
    readonly countQueued: (workspaceId: WorkspaceId, limit: number) => Effect.Effect<number>
    /** Locks the workspace's queue until the transaction ends, against others that call this. */
    readonly holdQueue: (workspaceId: WorkspaceId) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/runs/RunAcceptance") {}
