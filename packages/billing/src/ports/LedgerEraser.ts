import type { Eraser } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"

/**
 * Unlinks rows of the ledger from runs and sessions, whose ids become `ERASED_ID`, in reservations as well. Tokens, costs, models,
 * times and agents stay, so that no sum changes. A workspace's own prices are erased with it. Tested by `ledgerEraserContract`.
 */
export class LedgerEraser extends Context.Service<
  LedgerEraser,
  Eraser & {
    /** The place after the last ended run whose outcome is counted, as `RunOutcomes` has it; undefined before the first. */
    readonly runsCountedTo: Effect.Effect<string | undefined>
  }
>()("@agent-platform/billing/LedgerEraser") {}
