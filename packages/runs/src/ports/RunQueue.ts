import type { OrganizationId, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Agent } from "../Agent.ts"
import type { Run } from "../Run.ts"
import type { HeldRun } from "./RunSettlement.ts"

/** A run that its claimer, and nobody else, executes now. */
export interface ClaimedRun {
  /** As it is after the claim: running. */
  readonly run: Run
  readonly agent: Agent
  /** Fresh for every claim, and begins with `by` of its request. Every later write shows it; a claim that was lost writes nothing. */
  readonly claimToken: string
}

/** How many runs of an organization may be claimed at most, and of each of its workspaces. */
export interface Share {
  readonly runs: number
  readonly perWorkspace: number
}

/** Most runs by whose they are. */
export interface Shares {
  readonly organizations: ReadonlyMap<OrganizationId, Share>
  /** Of each organization that is not named. */
  readonly others: Share
  /** Of workspaces without a number in their organization's share. */
  readonly workspaces: ReadonlyMap<WorkspaceId, number>
}

/** Where unfinished rounds of a claim go on. */
export interface Turns {
  /** The round of the organizations goes on behind this one; undefined starts anywhere. */
  readonly organization: OrganizationId | undefined
  /** The round of an organization's workspaces goes on behind this one; anywhere for one that is not named. */
  readonly workspaces: ReadonlyMap<OrganizationId, WorkspaceId>
}

/** Which runs are claimed. */
export interface ClaimRequest {
  /** Who claims, and for the how many-th time: 16 hexadecimal digits that no other claim of anybody has. */
  readonly by: string
  /** Most runs of all. */
  readonly max: number
  readonly shares: Shares
  readonly after: Turns
  /** How long the claims hold unrenewed. */
  readonly leaseSeconds: number
  /** When the logs of the runs say that their new attempts began; undefined logs nothing. */
  readonly loggedAt?: DateTime.Utc | undefined
}

/** The claimed runs, and the last of each round that had their turn. */
export interface Claims {
  readonly claimed: ReadonlyArray<ClaimedRun>
  readonly last: Turns
}

/**
 * The queue of runs for claims and recovery. All times that decide something (leases, when a run is due, when it expires, the
 * grace of a cancellation) are judged by the store's own clock. Held by `runStoreContract` and `runQueueContract`.
 */
export class RunQueue extends Context.Service<
  RunQueue,
  {
    /**
     * Claims runs that are due: queued, not before their `runAt`, not expired, and first in the line of a session in which
     * none runs. Organizations take turns, each with one run in a round, and so do the workspaces of each, so that many
     * workspaces or a long queue of one delay no other. Inside a workspace a higher priority goes first, then the longest
     * wait. A claim holds until it is settled, or `leaseSeconds` are over unrenewed. Claimers do not wait for each other and
     * never get the same run. The log of each may say in the same write that it began.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<Claims, never, Transaction>
    /** Renews claims for `leaseSeconds` from now; answers those that still held, with when their run was to be cancelled. */
    readonly renew: (
      claimTokens: ReadonlyArray<string>,
      options: { readonly leaseSeconds: number }
    ) => Effect.Effect<ReadonlyMap<string, DateTime.Utc | null>>
    /**
     * Lets runs come due whose `runAt` is over, and answers how many. Until this is called they are not claimed.
     * Any number may call it at once.
     */
    readonly wakeScheduled: Effect.Effect<number, never, Transaction>
    /** Running runs that were claimed by the request with this `by`, held together with their sessions. */
    readonly claimedBy: (by: string) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Running runs whose claim has lapsed, held together with their sessions; nobody else gets them meanwhile. */
    readonly lapsed: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Queued runs that have expired, held in the same way. */
    readonly expired: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Running runs whose cancellation was asked for `graceSeconds` ago or earlier, held in the same way. */
    readonly overdue: (options: {
      readonly max: number
      readonly graceSeconds: number
    }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
  }
>()("@agent-platform/runs/RunQueue") {}
