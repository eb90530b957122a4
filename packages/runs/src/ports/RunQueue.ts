import type { OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Agent } from "../Agent.ts"
import type { Run } from "../Run.ts"
import type { HeldRun } from "./RunSettlement.ts"

/** A run that its claimer, and nobody else, executes now. */
export interface ClaimedRun {
  /** The run after the claim: running. */
  readonly run: Run
  readonly agent: Agent
  /** Fresh for every claim, and begins with `by` of its request. Every later write shows it; a claim that was lost writes nothing. */
  readonly claimToken: string
}

/** Most runs of an organization that may be claimed, and most of each of its workspaces. */
export interface Share {
  readonly runs: number
  readonly perWorkspace: number
}

/** Most runs that may be claimed, by the organization and the workspace that they belong to. */
export interface Shares {
  readonly organizations: ReadonlyMap<OrganizationId, Share>
  /** The share of each organization that is not named. */
  readonly others: Share
  /** The most runs of a workspace that is named, in place of `perWorkspace` of its organization's share. */
  readonly workspaces: ReadonlyMap<WorkspaceId, number>
}

/** The organizations and workspaces that had the last turns of rounds, which the next claim continues. */
export interface Turns {
  /** The round of the organizations goes on after this one; undefined starts anywhere. */
  readonly organization: OrganizationId | undefined
  /** For each organization, the workspace after which its round goes on; one that is not named starts anywhere. */
  readonly workspaces: ReadonlyMap<OrganizationId, WorkspaceId>
}

/** Selects the runs that are claimed. */
export interface ClaimRequest {
  /** The name of this claim: 16 hexadecimal digits, for the claimer and the number of its claim, that no other claim has. */
  readonly by: string
  /** Most runs that are claimed, of all organizations together. */
  readonly max: number
  readonly shares: Shares
  readonly after: Turns
  /** How long the claims hold unrenewed. */
  readonly leaseSeconds: number
  /** The time of the log event that says that a new attempt began; undefined logs none. */
  readonly loggedAt?: DateTime.Utc | undefined
}

/** The claimed runs, and whose turn came last. */
export interface Claims {
  readonly claimed: ReadonlyArray<ClaimedRun>
  readonly last: Turns
}

/**
 * The queue of runs for claims and recovery. All times that decide something (leases, when a run is due, when it expires, the
 * grace of a cancellation) are judged by the store's own clock. Tested by `runStoreContract` and `runQueueContract`.
 */
export class RunQueue extends Context.Service<
  RunQueue,
  {
    /**
     * Claims runs that are due: queued, not before their `runAt`, not expired, and first in the line of a session in which
     * none runs. Organizations take turns, each with one run in a round, and so do the workspaces of each, so that many
     * workspaces or a long queue of one delay no other. Inside a workspace a higher priority goes first, then the longest
     * wait. A claim holds until it is settled, or `leaseSeconds` pass without a renewal or a wait for a callback. Claimers do not
     * wait for each other and never get the same run. The event that an attempt began is logged in the same write.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<Claims, never, Transaction>
    /**
     * Renews claims for `leaseSeconds` from now, but none of a run that is left to its agent (`RunSettlement.awaitCallback`): that one
     * holds without renewal until the callback is due. Returns the claims that still held, with the time of a requested cancellation.
     */
    readonly renew: (
      claimTokens: ReadonlyArray<string>,
      options: { readonly leaseSeconds: number }
    ) => Effect.Effect<ReadonlyMap<string, DateTime.Utc | null>>
    /**
     * Lets runs come due whose `runAt` has passed, and returns how many. Until this is called they are not claimed.
     * Any number may call it at once.
     */
    readonly wakeScheduled: Effect.Effect<number, never, Transaction>
    /** Running runs that were claimed by the request with this `by`, locked together with their sessions. */
    readonly claimedBy: (by: string) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Running runs whose claim has lapsed, locked together with their sessions; nobody else gets them meanwhile. */
    readonly lapsed: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Queued runs that have expired, locked in the same way. */
    readonly expired: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Running runs whose cancellation was asked for `graceSeconds` ago or earlier, locked in the same way. */
    readonly overdue: (options: {
      readonly max: number
      readonly graceSeconds: number
    }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
  }
>()("@agent-platform/runs/RunQueue") {}
