import type { OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { BillingMonth, Span } from "../BillingMonth.ts"
import type { RollUpDeltas, RollUpState } from "../RollUp.ts"

/** A month that a workspace's roll-ups follow. */
export interface KeptMonth extends BillingMonth {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** Keeps roll-ups, and how far they have come. Held by `rollUpContract`. */
export class RollUpStore extends Context.Service<
  RollUpStore,
  {
    /**
     * Takes the one place for rolling up, until the transaction ends, and answers the state of the roll-ups. Undefined, and
     * without waiting, when somebody else has it, or had it less than `quietSeconds` ago.
     */
    readonly hold: (options: {
      readonly quietSeconds: number
    }) => Effect.Effect<RollUpState | undefined, never, Transaction>
    /** Writes how far they have come, in the transaction that holds the place. */
    readonly save: (state: RollUpState) => Effect.Effect<void, never, Transaction>
    /** The months that are kept of these workspaces and overlap the span, or all of them, earliest first. */
    readonly months: (
      workspaceIds: ReadonlyArray<WorkspaceId>,
      span?: Span | undefined
    ) => Effect.Effect<ReadonlyArray<KeptMonth>>
    /** Keeps months for ever; one that is kept already stays as it is. */
    readonly keepMonths: (months: ReadonlyArray<KeptMonth>) => Effect.Effect<void, never, Transaction>
    /** Adds to the roll-ups, each time. */
    readonly add: (deltas: RollUpDeltas) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/billing/RollUpStore") {}
