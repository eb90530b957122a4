import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { Span } from "../BillingMonth.ts"
import type { CallId, LedgerEntry } from "../LedgerEntry.ts"
import type { UsageCorrection } from "../UsageCorrection.ts"

/** Keeps the prices that were changed after calls were settled; the ledger's rows stay. Tested by `rollUpContract`. */
export class UsageCorrections extends Context.Service<
  UsageCorrections,
  {
    /** Locks corrections of the workspace's calls until the transaction ends. */
    readonly hold: (workspaceId: WorkspaceId) => Effect.Effect<void, never, Transaction>
    /**
     * The workspace's calls of a model that were admitted in the span, in the order of their ids and after `after`, each with
     * its present price: that of its last correction, or else the ledger's.
     */
    readonly calls: (
      workspaceId: WorkspaceId,
      of: { readonly provider: string; readonly model: string; readonly span: Span },
      page: { readonly after: CallId | undefined; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<LedgerEntry>>
    /** Adds corrections; of several for one call, the one with the highest id holds. */
    readonly insert: (corrections: ReadonlyArray<UsageCorrection>) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/billing/UsageCorrections") {}
