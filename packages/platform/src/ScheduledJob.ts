/** Work that is due by the clock: its declaration, and the report of its progress. */
import { defineJob, type JobKind, type JobProgress, JobTrigger } from "@agent-platform/kernel"
import { Context, Effect, Schema } from "effect"

/** Work that is due by the clock, in whichever process. */
export interface ScheduledJob<R> {
  readonly kind: JobKind<object>
  /** When, as a cron expression in UTC. */
  readonly cron: string
  /** One sentence for operators about what it does. */
  readonly does: string
  /** Awaited before the job and outside of its transaction, such as renewals by living workers; writes nothing. */
  readonly awaits?: Effect.Effect<void, never, R> | undefined
  /**
   * The work: a use case of its domain, in bounded transactions, harmless when run twice at the same time and when broken off
   * anywhere. Answers a line about its result. Long work says by `reportProgress` how much there is and how far it has come, and
   * goes on at the cursor of `JobUnderWay`.
   */
  readonly run: Effect.Effect<string, never, R>
}

/** How soon and how late at most a job is tried again that failed, in seconds. */
const RETRY_SECONDS = 2
const RETRY_SECONDS_MAX = 900

/** Declares the kind of a scheduled job, of which one at a time waits or is under way. Its payload names who asked for it. */
export const scheduledKind = (name: string): JobKind<{ readonly trigger?: JobTrigger | undefined }> =>
  defineJob(name, Schema.Struct({ trigger: Schema.optional(JobTrigger) }), {
    isSingleton: true,
    retrySeconds: RETRY_SECONDS,
    retrySecondsMax: RETRY_SECONDS_MAX
  })

/** The run of a job from inside: where it goes on, and to whom it says how far it has come. */
export class JobUnderWay extends Context.Reference<{
  /** Where the run before this one broke off; null where it begins anew. */
  readonly cursor: string | null
  readonly report: (progress: JobProgress) => Effect.Effect<void>
}>("@agent-platform/platform/JobUnderWay", {
  defaultValue: () => ({ cursor: null, report: () => Effect.void })
}) {}

/** Says how far the job under way has come, and where it would go on; nothing outside of a job. */
export const reportProgress = (progress: JobProgress): Effect.Effect<void> =>
  Effect.flatMap(JobUnderWay, ({ report }) => report(progress))

/** Says how many things were done at one blow. */
export const reportItems = (itemsDone: number) => reportProgress({ itemsDone, itemsTotal: null, cursor: null })

/** Work that answers how many things it has done at one blow, and the line about them. */
export const counted = <R>(
  work: Effect.Effect<number, never, R>,
  lineOf: (count: number) => string
): Effect.Effect<string, never, R> => Effect.map(Effect.tap(work, reportItems), lineOf)
