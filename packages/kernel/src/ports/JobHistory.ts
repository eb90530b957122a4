import { Context, type DateTime, type Effect } from "effect"
import type { JobProgress, JobRun, JobRunEnd, JobRunId } from "../JobRun.ts"
import type { Page, PageRequest } from "../Page.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** A run that is to begin. */
export type NewJobRun = Pick<JobRun, "id" | "name" | "trigger" | "holder">

/**
 * Remembers the runs of jobs and how far they came. It holds nobody off: that one process at a time does a job is the
 * queue's affair. All times are of the store's own clock. Held by `jobHistoryContract`.
 */
export class JobHistory extends Context.Service<
  JobHistory,
  {
    /**
     * Begins a run, whose cursor is that of the run before it if that did not reach its end. One that was still running is lost
     * from then on, since the queue gives a job away only when its holder is gone.
     */
    readonly begin: (run: NewJobRun) => Effect.Effect<JobRun, never, Transaction>
    /** Notes how far a run has come; nothing where it is over. */
    readonly note: (id: JobRunId, progress: JobProgress) => Effect.Effect<void, never, Transaction>
    /** Writes the end of a run. False where it was over already, and then nothing is written. */
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
     * Forgets runs that began before `before`, and of each job all but the `perJob` newest, at most `max` at once. The newest run of
     * a job is never forgotten. Answers how many were.
     */
    readonly prune: (options: {
      readonly before: DateTime.Utc
      readonly perJob: number
      readonly max: number
    }) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/kernel/JobHistory") {}
