import { Context, type Effect } from "effect"
import type { Job, JobKind, JobOutcome } from "../Job.ts"
import type { JobAlreadyRunning } from "../JobRun.ts"

export interface WorkOptions {
  /** Jobs of the kind that this worker does at once; 1 if undefined. */
  readonly concurrencyMax?: number | undefined
  /** How often a due job is looked for when no signal comes. */
  readonly pollSeconds?: number | undefined
}

/**
 * Where workers take work. A job is with one worker at a time, as long as that shows its heartbeats. It is tried again if its
 * handler dies, is interrupted or returns `again`, and if its process is gone. So a handler may run twice for one job, rarely
 * even at the same time: what it does must be harmless then. Held by `jobQueueContract` together with `JobQueue`.
 */
export class JobSource extends Context.Service<
  JobSource,
  {
    /** Does jobs of a kind as they come due. Ends only by interruption, which interrupts its handlers, too. */
    readonly work: <Payload, R>(
      kind: JobKind<Payload>,
      handle: (job: Job<Payload>) => Effect.Effect<JobOutcome, never, R>,
      options?: WorkOptions
    ) => Effect.Effect<never, never, R>
    /**
     * Does the job of a kind, which must be a singleton, in this process and now: the one that waits, due or not, or else a new
     * one. Fails with JobAlreadyRunning while it is under way elsewhere. If the handler fails or is interrupted, the job stays
     * in the queue.
     */
    readonly doNow: <Payload, A, E, R>(
      kind: JobKind<Payload>,
      payload: Payload,
      handle: (job: Job<Payload>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | JobAlreadyRunning, R>
  }
>()("@agent-platform/kernel/JobSource") {}
