import type { WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { OutcomeCell } from "../UsageCells.ts"
import type { Portion, PortionRequest } from "./UsageFeed.ts"

/** When a run was. Its model calls are made between the two times, or up to a day outside of them: see `readRunCosts`. */
export interface RunTimes {
  readonly createdAt: DateTime.Utc
  /** Null while it has not ended. */
  readonly finishedAt: DateTime.Utc | null
}

/**
 * The little that analytics read of runs, which belong to another domain: implemented over it by who composes the two. Calls are the
 * ledger's own and not read here.
 */
export class RunSummaries extends Context.Service<
  RunSummaries,
  {
    /** The run, if it is one of this workspace's. `readRunCosts` looks for its calls by these times. */
    readonly find: (workspaceId: WorkspaceId, runId: string) => Effect.Effect<RunTimes | undefined>
    /**
     * Counts the next runs that ended, for the roll-ups: a cell for each agent and quarter of an hour in which its runs ended. The
     * portions are those of `UsageFeed`, which says what a mark is, and their marks are of the same sequence: the mark of a run is
     * given by the transaction that ended it.
     */
    readonly countEnded: (request: PortionRequest) => Effect.Effect<Portion<OutcomeCell>>
  }
>()("@agent-platform/billing/RunSummaries") {}
