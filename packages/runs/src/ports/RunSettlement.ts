import type { Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Run, RunId, Usage } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"

/** A run with the claim under which it is written; null for a queued run, which nobody has claimed. */
export interface HeldRun {
  readonly run: Run
  readonly claimToken: string | null
}

/** A run in its next state, with the events that its log still lacks. */
export interface SettledRun extends HeldRun {
  readonly events?: ReadonlyArray<NewRunEvent> | undefined
}

/** The fields of a run that others than its claimer write while it is executed. */
export type HeldFacts = Pick<Run, "cancelRequestedAt" | "costUsd" | "usage">

/** The runs that were written, and whether others came due by it. */
export interface Settled {
  readonly written: ReadonlySet<RunId>
  readonly hasDue: boolean
}

/** Writes the next states of runs. Tested by `runStoreContract` and `runQueueContract`. */
export class RunSettlement extends Context.Service<
  RunSettlement,
  {
    /**
     * Locks runs and their sessions until the transaction ends. Returns those whose claim still holds, each with the
     * fields that others may have written meanwhile: the next state must be made from these, not from an older copy.
     */
    readonly hold: (
      claims: ReadonlyArray<{ readonly runId: RunId; readonly claimToken: string | null }>
    ) => Effect.Effect<ReadonlyMap<RunId, HeldFacts>, never, Transaction>
    /**
     * Writes the next states of held runs, terminal or queued again, with the ends of their logs, and ends their claims. The
     * next run of each session comes due. A lost claim writes nothing, and a terminal state never changes. The cost of a run is
     * written by `addUsage` alone, never by this.
     */
    readonly settle: (settled: ReadonlyArray<SettledRun>) => Effect.Effect<Settled, never, Transaction>
    /**
     * Leaves a claimed run to its agent, which calls back within `seconds`: the claim holds so long without a worker, and no renewal
     * touches it. False, and nothing written, where the claim was lost.
     */
    readonly awaitCallback: (
      claim: { readonly runId: RunId; readonly claimToken: string },
      options: { readonly seconds: number }
    ) => Effect.Effect<boolean, never, Transaction>
    /** Marks a running run as to be cancelled, once, and returns the time of the first mark; undefined when it does not run. */
    readonly requestCancel: (id: RunId) => Effect.Effect<DateTime.Utc | undefined, never, Transaction>
    /**
     * Adds one model call's tokens and cost to the run in any state, since a call may be settled after its run has ended. `costUsd`
     * is a decimal with 12 decimals at most, or null for a call without a known price.
     */
    readonly addUsage: (
      workspaceId: WorkspaceId,
      id: RunId,
      added: { readonly usage: Omit<Usage, "requests">; readonly costUsd: string | null }
    ) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/runs/RunSettlement") {}
