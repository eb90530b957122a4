/** The measures of work by the clock. */
import { JobHistory, type JobRunEnd } from "@agent-platform/kernel"
import { counter, gauge, measure } from "@agent-platform/toolkit"
import { Cron, DateTime, Effect, Result } from "effect"
import type { ScheduledJob } from "./ScheduledJob.ts"

const jobRuns = counter(
  "agent_platform_job_runs_total",
  "Runs of jobs by the clock that this process has ended, by how (succeeded, failed, stopped).",
  ["job_name", "status"]
)

const lastSuccess = gauge(
  "agent_platform_job_last_success_timestamp_seconds",
  "When a job by the clock last came to a good end in any process, in seconds since 1970; absent until it first has.",
  ["job_name"]
)

const period = gauge(
  "agent_platform_job_period_seconds",
  "How often a job by the clock is due: the seconds between its next two times.",
  ["job_name"]
)

/** All of them, for the documentation. */
export const JOB_MEASURES = [jobRuns, lastSuccess, period]

/** Lets a job's counts begin at 0: Prometheus sees no increase in a count that appears with its first failure. */
export const beginJobCounts = (job_name: string): Effect.Effect<void> =>
  Effect.forEach(["succeeded", "failed", "stopped"] as const, (status) => measure(jobRuns, { job_name, status }, 0), {
    discard: true
  })

/** Counts the end of a job's run. */
export const measureJobEnd = (job_name: string, { status }: JobRunEnd): Effect.Effect<void> =>
  measure(jobRuns, { job_name, status }, 1)

const periodSeconds = (cron: string, now: DateTime.Utc): number => {
  const parsed = Result.getOrThrow(Cron.parse(cron, "UTC"))
  const first = Cron.next(parsed, DateTime.toDateUtc(now))
  return (Cron.next(parsed, first).getTime() - first.getTime()) / 1_000
}

/** Brings the measures of these jobs' last successes and periods up to date. */
export const readJobSuccesses = (
  jobs: ReadonlyArray<Pick<ScheduledJob<never>, "kind" | "cron">>
): Effect.Effect<void, never, JobHistory> =>
  Effect.gen(function* () {
    const history = yield* JobHistory
    const now = yield* DateTime.now
    for (const { cron, kind } of jobs) yield* measure(period, { job_name: kind.name }, periodSeconds(cron, now))
    const successes = yield* history.lastSuccesses(jobs.map(({ kind }) => kind.name))
    for (const [job_name, at] of successes) {
      yield* measure(lastSuccess, { job_name }, DateTime.toEpochMillis(at) / 1_000)
    }
  })

/** The measures of these jobs as a reading among a process's metrics. */
export const jobReading = (jobs: Parameters<typeof readJobSuccesses>[0]) => ({
  name: "jobs",
  read: readJobSuccesses(jobs)
})
