import type { Page, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Agent } from "../Agent.ts"
import type { Run, RunId } from "../Run.ts"
import type { RunFilter, RunPageRequest } from "../RunList.ts"
import type { SessionId } from "../Session.ts"

/** A run that its claimer, and nobody else, executes now. */
export interface ClaimedRun {
  /** As it is after the claim: running. */
  readonly run: Run
  readonly agent: Agent
  /** Fresh for every claim. Every later write shows it; a claim that was lost writes nothing. */
  readonly claimToken: string
}

/** What a claimed run has become. */
export interface SettledRun {
  /** The claim under which it is written; null for a queued run that nobody claimed. */
  readonly claimToken: string | null
  /** Terminal, or queued again. */
  readonly run: Run
}

/** Keeps runs. Held by `runStoreContract`. */
export class RunStore extends Context.Service<
  RunStore,
  {
    readonly insert: (run: Run) => Effect.Effect<void, never, Transaction>
    readonly find: (workspaceId: WorkspaceId, id: RunId) => Effect.Effect<Run | undefined>
    /**
     * The workspace's runs that the filter means, newest first by (createdAt, id). What is triggered while somebody
     * pages shifts no page that follows.
     */
    readonly list: (workspaceId: WorkspaceId, filter: RunFilter, page: RunPageRequest) => Effect.Effect<Page<Run>>
    /** How many runs of the workspace are queued, counted up to `limit`. */
    readonly countQueued: (workspaceId: WorkspaceId, limit: number) => Effect.Effect<number>
    /** Whether the session has a run that is queued or running. */
    readonly isBusy: (sessionId: SessionId) => Effect.Effect<boolean>
    /**
     * Claims those of the runs that are queued, not expired, and the oldest queued run of a session in which none runs,
     * whichever of them has the younger id: ids come from the clocks of several machines. A claim
     * holds until it is settled or `leaseSeconds` are over unrenewed.
     */
    readonly claim: (
      ids: ReadonlyArray<RunId>,
      options: { readonly leaseSeconds: number; readonly now: DateTime.Utc }
    ) => Effect.Effect<ReadonlyArray<ClaimedRun>, never, Transaction>
    /** Renews claims for `leaseSeconds` from `now` and answers those that still held. */
    readonly renew: (
      claimTokens: ReadonlyArray<string>,
      options: { readonly leaseSeconds: number; readonly now: DateTime.Utc }
    ) => Effect.Effect<ReadonlySet<string>>
    /**
     * Writes what runs have become and ends their claims. Answers the runs that were written, each with the oldest
     * queued run of its session that may go next, now that it is out of the way; a lost claim is missing.
     */
    readonly settle: (
      settled: ReadonlyArray<SettledRun>
    ) => Effect.Effect<ReadonlyArray<{ readonly run: Run; readonly next: Run | undefined }>, never, Transaction>
    /** Running runs whose claim has lapsed; nobody else gets them before the transaction ends. */
    readonly lapsed: (options: {
      readonly max: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<SettledRun & { readonly claimToken: string }>, never, Transaction>
    /** Queued runs that have expired; nobody else gets them before the transaction ends. */
    readonly expired: (options: {
      readonly max: number
      readonly now: DateTime.Utc
    }) => Effect.Effect<ReadonlyArray<Run>, never, Transaction>
  }
>()("@agent-platform/runs/RunStore") {}
