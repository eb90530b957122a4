import { Context, type DateTime, type Effect } from "effect"
import type { JobAlreadyRunning, JobProgress, JobRun, JobRunEnd, JobRunId, JobTrigger } from "../JobRun.ts"
import type { Page, PageRequest } from "../Page.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** A run that is to begin. */
export interface NewJobRun {
  readonly id: JobRunId
  readonly name: string
  readonly trigger: JobTrigger
  readonly holder: string
}

/** A run that has begun. */
export interface BegunJobRun {
  readonly run: JobRun
  /** Where it goes on: the cursor of the run before it, if that did not reach its end. */
  readonly cursor: string | null
}

/**
 * Remembers the runs of jobs, and sees to it that a job is done by one holder at a time. All times, and whether a lease has
 * lapsed, are judged by the store's own clock. Held by `jobHistoryContract`.
 */
export class JobHistory extends Context.Service<
  JobHistory,
  {
    /**
     * Begins a run that is held for `leaseSeconds`. Fails with JobAlreadyRunning while another run of the job is held; one
     * whose lease has lapsed is lost from then on. Of any number who begin at once one does.
     */
    readonly begin: (
      run: NewJobRun,
      options: { readonly leaseSeconds: number }
    ) => Effect.Effect<BegunJobRun, JobAlreadyRunning, Transaction>
    /**
     * Notes how far the run has come and holds it for `leaseSeconds` from now. False when it is not held any more:
     * whoever did it must stop.
     */
    readonly renew: (
      id: JobRunId,
      progress: JobProgress,
      options: { readonly leaseSeconds: number }
    ) => Effect.Effect<boolean, never, Transaction>
    /** Writes the end of a run. False when another has taken the job over meanwhile, and then nothing is written. */
    readonly end: (id: JobRunId, end: JobRunEnd) => Effect.Effect<boolean, never, Transaction>
    /** The run of this id; one that runs and whose lease has lapsed is `lost`. */
    readonly find: (id: JobRunId) => Effect.Effect<JobRun | undefined>
    /** The latest run of every job that has any, by the name of the job. */
    readonly latest: Effect.Effect<ReadonlyMap<string, JobRun>>
    /** Runs of a job, or of all of them where `name` is undefined, the one that began last first. */
    readonly list: (name: string | undefined, page: PageRequest) => Effect.Effect<Page<JobRun>>
    /**
     * Forgets runs that began before `before`, and of each job all but the `perJob` newest. The newest run of a job is never
     * forgotten. Answers how many were.
     */
    readonly prune: (options: {
      readonly before: DateTime.Utc
      readonly perJob: number
    }) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/kernel/JobHistory") {}
