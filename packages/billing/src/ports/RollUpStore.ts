import type { OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { BillingMonth, Span } from "../BillingMonth.ts"
import type { RollUpDeltas, RollUpState } from "../RollUp.ts"

/** A month of a workspace that is stored, so that its roll-ups keep to its bounds when the zone changes. */
export interface KeptMonth extends BillingMonth {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** Keeps roll-ups, and how far they have come. Tested by `rollUpContract`. */
export class RollUpStore extends Context.Service<
  RollUpStore,
  {
    /**
     * Locks rolling up, until the transaction ends, and returns the state of the roll-ups. Undefined, without waiting, when
     * another transaction has the lock, or had it less than `quietSeconds` ago.
     */
    readonly hold: (options: {
      readonly quietSeconds: number
    }) => Effect.Effect<RollUpState | undefined, never, Transaction>
    /** Writes how far the roll-ups have come, in the transaction that has the lock. */
    readonly save: (state: RollUpState) => Effect.Effect<void, never, Transaction>
    /** The stored months of these workspaces that overlap the span, or all of them without one, earliest first. */
    readonly months: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      span?: Span | undefined
    ) => Effect.Effect<ReadonlyArray<KeptMonth>>
    /** Stores months for ever; a month that is stored already stays as it is. */
    readonly keepMonths: (months: ReadonlyArray<KeptMonth>) => Effect.Effect<void, never, Transaction>
    /** Adds to the roll-ups. Not idempotent: adding the same again counts it twice. */
    readonly add: (deltas: RollUpDeltas) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/billing/RollUpStore") {}
