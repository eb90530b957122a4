/** Runs of jobs that are due by the clock, as they are remembered. */
import { type DateTime, Schema } from "effect"
import { Uuid } from "./Ids.ts"

export const JobRunId = Uuid.pipe(Schema.brand("JobRunId"))
export type JobRunId = typeof JobRunId.Type

/** The cause of a run: the clock, or an operator by hand. */
export const JobTrigger = Schema.Literals(["schedule", "operator"])
export type JobTrigger = typeof JobTrigger.Type

/**
 * The states of a run: `failed` by a fault, `stopped` with its process, which was asked to, and `lost` if it came to no end before
 * another run of the job began.
 */
export const JobRunStatus = Schema.Literals(["running", "succeeded", "failed", "stopped", "lost"])
export type JobRunStatus = typeof JobRunStatus.Type

/** How far a run has come. */
export interface JobProgress {
  /** Things done so far: rows removed or found to stay, keys asked about. */
  readonly itemsDone: number
  /** How many things this run has to do in all, as counted when it began; null where nobody counted. */
  readonly itemsTotal: number | null
  /** Where the next run goes on if this one does not reach its end; null where it would begin anew. */
  readonly cursor: string | null
}

/** One run of a job. */
export interface JobRun extends JobProgress {
  readonly id: JobRunId
  /** The name of the job. */
  readonly name: string
  readonly trigger: JobTrigger
  /** The process that does it, or did. */
  readonly holder: string
  readonly status: JobRunStatus
  readonly startedAt: DateTime.Utc
  /** Null while it runs. For a run that was lost, the time when that was noticed. */
  readonly finishedAt: DateTime.Utc | null
  /** Its outcome, in a line; null before its end. */
  readonly summary: string | null
  /** Its fault; null without one. */
  readonly error: string | null
}

/** The end of a run as its holder reports it. A run that is lost has no such report. */
export interface JobRunEnd extends JobProgress, Pick<JobRun, "summary" | "error"> {
  readonly status: "succeeded" | "failed" | "stopped"
}

/** Most characters that are kept of what a run says about itself. */
export const JOB_TEXT_LENGTH_MAX = 2_000

/** Another process does the job. */
export class JobAlreadyRunning extends Schema.TaggedError<JobAlreadyRunning>()("JobAlreadyRunning", {
  name: Schema.String
}) {}

/** The cursor from which the next run of a job goes on; null, for the start, where the last run succeeded or there is none. */
export const resumedFrom = (last: JobRun | undefined): string | null =>
  last === undefined || last.status === "succeeded" ? null : last.cursor

/** The text, cut to `JOB_TEXT_LENGTH_MAX`. */
export const keptText = (text: string | null): string | null =>
  text === null ? null : text.slice(0, JOB_TEXT_LENGTH_MAX)
