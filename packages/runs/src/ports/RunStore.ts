import type { OrganizationId, Page, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Agent } from "../Agent.ts"
import type { Run, RunId, Usage } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"
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

/** A run with the claim under which it is written; null for a queued run, which nobody has claimed. */
export interface HeldRun {
  readonly run: Run
  readonly claimToken: string | null
}

/** A held run with what its log still lacks. */
export interface SettledRun extends HeldRun {
  readonly events?: ReadonlyArray<NewRunEvent> | undefined
}

/** What is written of a run while somebody executes it, by others than its claimer. */
export type HeldFacts = Pick<Run, "cancelRequestedAt" | "costUsd" | "usage">

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
  /** Of workspaces of which their organization's share does not say it. */
  readonly workspaces: ReadonlyMap<WorkspaceId, number>
}

/** Where the rounds go on that a claim did not come to the end of. */
export interface Turns {
  /** The round of the organizations goes on behind this one; undefined starts anywhere. */
  readonly organization: OrganizationId | undefined
  /** The round of an organization's workspaces goes on behind this one; anywhere for one that is not named. */
  readonly workspaces: ReadonlyMap<OrganizationId, WorkspaceId>
}

/** Which runs are claimed. */
export interface ClaimRequest {
  /** Most runs of all. */
  readonly max: number
  readonly shares: Shares
  readonly after: Turns
  /** How long the claims hold unrenewed. */
  readonly leaseSeconds: number
  /** When the logs of the runs say that their new attempts began; undefined logs nothing. */
  readonly loggedAt?: DateTime.Utc | undefined
}

/** What was claimed, and the last of each round that had their turn. */
export interface Claims {
  readonly claimed: ReadonlyArray<ClaimedRun>
  readonly last: Turns
}

/** A run as it is added. */
export interface AddedRun {
  readonly run: Run
  /** How its log begins. */
  readonly events: ReadonlyArray<NewRunEvent>
  /** Whether its session begins with it. Else it goes to the end of the line of one that the transaction holds. */
  readonly beginsSession: boolean
}

/** What was written, and whether runs came due by it. */
export interface Settled {
  readonly written: ReadonlySet<RunId>
  readonly hasDue: boolean
}

/**
 * Keeps runs, and is the queue of those that wait. All times that decide something (leases, when a run is due, when it
 * expires, the grace of a cancellation) are judged by the store's own clock and no other. Held by `runStoreContract` and
 * `runQueueContract`.
 */
export class RunStore extends Context.Service<
  RunStore,
  {
    /** Adds runs of different sessions, with the sessions that begin with them and the beginnings of their logs. */
    readonly insert: (added: ReadonlyArray<AddedRun>) => Effect.Effect<void, never, Transaction>
    readonly find: (workspaceId: WorkspaceId, id: RunId) => Effect.Effect<Run | undefined>
    /**
     * The workspace's runs that the filter means, newest first by (createdAt, id). What is triggered while somebody
     * pages shifts no page that follows.
     */
    readonly list: (workspaceId: WorkspaceId, filter: RunFilter, page: RunPageRequest) => Effect.Effect<Page<Run>>
    /** How many runs of the workspace are queued, counted up to `limit`. */
    readonly countQueued: (workspaceId: WorkspaceId, limit: number) => Effect.Effect<number>
    /** Keeps everybody else who asks for it out of the workspace's queue until the transaction ends. */
    readonly holdQueue: (workspaceId: WorkspaceId) => Effect.Effect<void, never, Transaction>
    /** Those of the ids that are runs which have not ended. */
    readonly unfinishedAmong: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>

    /**
     * Claims runs that are due: queued, not before their `runAt`, not expired, and first in the line of a session in which
     * none runs. Organizations take turns, each with one run in a round, and so do the workspaces of each, so that many
     * workspaces or a long queue of one delay no other; inside a workspace a higher priority goes first, then whoever has waited longest. A claim holds until it is
     * settled, or `leaseSeconds` are over unrenewed. Claimers do not wait for each other and never get the same run. The
     * log of each may say in the same write that it began.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<Claims, never, Transaction>
    /** Renews claims for `leaseSeconds` from now; answers those that still held, with when their run was to be cancelled. */
    readonly renew: (
      claimTokens: ReadonlyArray<string>,
      options: { readonly leaseSeconds: number }
    ) => Effect.Effect<ReadonlyMap<string, DateTime.Utc | null>>
    /**
     * Holds runs and their sessions until the transaction ends. Answers those whose claim still is what it was, each with
     * what others may have written of it meanwhile: what is written next must come from this, not from an older copy.
     */
    readonly hold: (
      claims: ReadonlyArray<{ readonly runId: RunId; readonly claimToken: string | null }>
    ) => Effect.Effect<ReadonlyMap<RunId, HeldFacts>, never, Transaction>
    /**
     * Writes what held runs have become, terminal or queued again, with the ends of their logs, and ends their claims; the
     * next of their sessions come due. A claim that was lost writes nothing, and a terminal state never changes. What a run costs is not written
     * here, but by `addUsage` alone.
     */
    readonly settle: (settled: ReadonlyArray<SettledRun>) => Effect.Effect<Settled, never, Transaction>

    /**
     * Adds one model call's tokens and cost to the run, whatever its state: a run that has ended keeps it and may still become
     * dearer. `costUsd` is a decimal with 12 decimals at most, or null for a call whose price nobody knows.
     */
    readonly addUsage: (
      workspaceId: WorkspaceId,
      id: RunId,
      added: { readonly usage: Omit<Usage, "requests">; readonly costUsd: string | null }
    ) => Effect.Effect<void, never, Transaction>

    /** Running runs whose claim has lapsed, held together with their sessions; nobody else gets them meanwhile. */
    readonly lapsed: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Queued runs that have expired, held in the same way. */
    readonly expired: (options: { readonly max: number }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Running runs whose cancellation was asked for `graceSeconds` ago or earlier, held in the same way. */
    readonly overdue: (options: {
      readonly max: number
      readonly graceSeconds: number
    }) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /**
     * Lets runs come due whose `runAt` is over, and answers how many. Until this is called they are not claimed.
     * Any number may call it at once.
     */
    readonly wakeScheduled: Effect.Effect<number, never, Transaction>

    /** Whether the session has a run that is queued or running. */
    readonly isBusy: (sessionId: SessionId) => Effect.Effect<boolean>
    /** How many runs of the session are queued, and running. */
    readonly countUnfinished: (
      sessionId: SessionId
    ) => Effect.Effect<{ readonly queued: number; readonly running: number }>
    /** The run that joined the session last. */
    readonly latest: (sessionId: SessionId) => Effect.Effect<Run | undefined>
    /**
     * The last `max` unfinished runs in the session's line, or in what stands before `before` there: first in line first, held
     * until the transaction ends. The caller holds the session.
     */
    readonly holdUnfinished: (
      sessionId: SessionId,
      max: number,
      before?: RunId
    ) => Effect.Effect<ReadonlyArray<HeldRun>, never, Transaction>
    /** Marks a running run as to be cancelled, once, and answers since when it is; undefined when it does not run. */
    readonly requestCancel: (id: RunId) => Effect.Effect<DateTime.Utc | undefined, never, Transaction>
    /** The latest run of the session that ended on a question which is still open. */
    readonly openQuestion: (sessionId: SessionId) => Effect.Effect<Run | undefined>
    /** Marks the question of a run as answered by another run; false when it is not open. */
    readonly answer: (id: RunId, resumedBy: RunId) => Effect.Effect<boolean, never, Transaction>
    /** Cancels every open question of the session at `now`, and answers whose they were. */
    readonly cancelQuestions: (
      sessionId: SessionId,
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyArray<RunId>, never, Transaction>
  }
>()("@agent-platform/runs/RunStore") {}
