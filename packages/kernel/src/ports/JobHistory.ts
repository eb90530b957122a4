import { Context, type DateTime, type Effect } from "effect"
import type { JobProgress, JobRun, JobRunEnd, JobRunId } from "../JobRun.ts"
import type { Page, PageRequest } from "../Page.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** A run that is to begin. */
export type NewJobRun = Pick<JobRun, "id" | "name" | "trigger" | "holder">

/**
 * Remembers the runs of jobs and how far they came. It keeps no process from a job: that one at a time does it is up to the
 * queue. All times are by the store's own clock. Held by `jobHistoryContract`.
 */
export class JobHistory extends Context.Service<
  JobHistory,
  {
    /**
     * Begins a run, with the cursor of the job's last run if that did not reach its end. A run of the job that was still running
     * counts as lost from then on, since the queue gives a job away only when its holder is gone.
     */
    readonly begin: (run: NewJobRun) => Effect.Effect<JobRun, never, Transaction>
    /** Notes how far a run has come, unless it has ended. */
    readonly note: (id: JobRunId, progress: JobProgress) => Effect.Effect<void, never, Transaction>
    /** Writes the end of a run. False where it had ended already, and then nothing is written. */
    readonly end: (id: JobRunId, end: JobRunEnd) => Effect.Effect<boolean, never, Transaction>
    /** The run of this id. */
    readonly find: (id: JobRunId) => Effect.Effect<JobRun | undefined>
    /** The latest run of every job that has any, by the name of the job. */
    readonly latest: Effect.Effect<ReadonlyMap<string, JobRun>>
    /** When the last run of each of these jobs that succeeded came to its end, by the name of the job. */
    readonly lastSuccesses: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, DateTime.Utc>>
    /** Runs of a job, or of all of them where `name` is undefined, the one that began last first. */
    readonly list: (name: string | undefined, page: PageRequest) => Effect.Effect<Page<JobRun>>
    /**
     * Forgets runs that began before `before`, and all but the `perJob` newest of each job, at most `max` at once. The newest run
     * of a job is never forgotten. Returns how many were.
     */
    readonly prune: (options: {
      readonly before: DateTime.Utc
      readonly perJob: number
      readonly max: number
    }) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/kernel/JobHistory") {}
