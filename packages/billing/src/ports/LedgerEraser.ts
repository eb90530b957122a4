import type { Eraser, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"

/**
 * Takes out of the ledger what its rows belong to: the run, the session and what a reservation holds of both become
 * `ERASED_ID`. Tokens, costs, models, times and agents stay, so that no sum changes. Prices that a workspace had of its own go
 * with it. Held by `ledgerEraserContract`.
 */
export class LedgerEraser extends Context.Service<
  LedgerEraser,
  Eraser & {
    /** Up to which ended run outcomes are counted, as `RunOutcomes` has it; undefined before the first. */
    readonly runsCountedTo: Effect.Effect<string | undefined>
    /** Whether anything of the workspace is counted, or may be: a call under way, a settled one, or a sum. */
    readonly isCounted: (workspaceId: WorkspaceId) => Effect.Effect<boolean>
  }
>()("@agent-platform/billing/LedgerEraser") {}
