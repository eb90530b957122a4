import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { TokenUsage } from "../TokenUsage.ts"

/** Adds costs to runs. Implemented by the domain that keeps the runs. */
export class RunCosts extends Context.Service<
  RunCosts,
  {
    /**
     * Adds one request with its tokens and its cost (null when nobody knows it) to the run in any state, since a call may be settled
     * after its run has ended. In the transaction of the ledger's row.
     */
    readonly add: (
      workspaceId: WorkspaceId,
      runId: string,
      usage: TokenUsage,
      costUsd: string | null
    ) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/billing/RunCosts") {}
