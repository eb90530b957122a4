/** Jobs by the clock: their declaration, and the report of their progress. */
import { defineJob, type JobKind, type JobProgress, JobTrigger } from "@agent-platform/kernel"
import { Context, Effect, Schema } from "effect"

/** Work that is due by the clock. One of the processes does it each time. */
export interface ScheduledJob<R> {
  readonly kind: JobKind<object>
  /** When, as a cron expression in UTC. */
  readonly cron: string
  /** One sentence for operators about what it does. */
  readonly does: string
  /** Done before the job and outside of its transactions, such as waiting until living workers have renewed their claims. Writes nothing. */
  readonly awaits?: Effect.Effect<void, never, R> | undefined
  /**
   * The work: a use case of its domain, in bounded transactions, harmless when it runs twice at the same time and when it is broken
   * off anywhere. Returns a line about its result. Long work calls `reportProgress`, and goes on at the cursor of `JobUnderWay`.
   */
  readonly run: Effect.Effect<string, never, R>
}

/** The shortest and the longest time, in seconds, after which a failed job is tried again. */
const RETRY_SECONDS = 2
const RETRY_SECONDS_MAX = 900

/** Declares the kind of a scheduled job, of which at most one waits or is under way. Its payload says whether an operator asked for it. */
export const scheduledKind = (name: string): JobKind<{ readonly trigger?: JobTrigger | undefined }> =>
  defineJob(name, Schema.Struct({ trigger: Schema.optional(JobTrigger) }), {
    isSingleton: true,
    retrySeconds: RETRY_SECONDS,
    retrySecondsMax: RETRY_SECONDS_MAX
  })

/** The context of the job that is under way: the cursor where it goes on, and the receiver of its progress. */
export class JobUnderWay extends Context.Reference<{
  /** The position at which the run before this one broke off; null for a new beginning. */
  readonly cursor: string | null
  readonly report: (progress: JobProgress) => Effect.Effect<void>
}>("@agent-platform/platform/JobUnderWay", {
  defaultValue: () => ({ cursor: null, report: () => Effect.void })
}) {}

/** Reports how far the job under way has come, and where it would go on. Does nothing outside of a job. */
export const reportProgress = (progress: JobProgress): Effect.Effect<void> =>
  Effect.flatMap(JobUnderWay, ({ report }) => report(progress))

/** Reports how many items were done, for a job without a total and a cursor. */
export const reportItems = (itemsDone: number) => reportProgress({ itemsDone, itemsTotal: null, cursor: null })

/** Makes the `run` of a job out of work that returns how many items it has done, and of the line about them. */
export const counted = <R>(
  work: Effect.Effect<number, never, R>,
  lineOf: (count: number) => string
): Effect.Effect<string, never, R> => Effect.map(Effect.tap(work, reportItems), lineOf)
