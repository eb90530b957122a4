/** Judges what waits, and what the clock has had done. */
import type { JobRun } from "@agent-platform/kernel"
import type { QueueFacts } from "@agent-platform/pg-boss"
import type { CLOCK } from "@agent-platform/platform"
import type { WorkFacts } from "@agent-platform/postgres"
import { Cron, DateTime, Result } from "effect"
import { type Finding, found, ok, spanOf } from "./Finding.ts"

/** How long work that could be done may wait before that is a finding. */
const WAITING_SECONDS = 60

/** How much later than its time a job by the clock may begin before it is overdue. */
const LATE_SECONDS = 900

/**
 * How long after the job's next time its last run may still be under way before the job is overdue. The queue lets no process hold
 * a job for longer than a day, so by then no process is left that does it.
 */
const RUNNING_SECONDS_MAX = 86_400

/** A job that was tried as often as this fails for a reason that stays. */
const RETRIES_MANY = 5

const MORE_WORKERS = "See that workers run and are not at their limits (WORKER_RUNS_MAX, WORKER_DELIVERIES_MAX)."

const waitingFinding = (check: string, what: string, seconds: number | null): Finding =>
  seconds === null || seconds <= WAITING_SECONDS
    ? ok(check, seconds === null ? `No ${what} waits` : `The oldest ${what} that waits has waited ${spanOf(seconds)}`)
    : found("warning", check, `The oldest ${what} has waited for ${spanOf(seconds)} and nobody takes it`, MORE_WORKERS)

/** Findings about runs and deliveries. */
export const workFindings = (facts: WorkFacts): ReadonlyArray<Finding> => [
  waitingFinding("queues.runs", "run", facts.oldestReadyRunSeconds),
  facts.lapsedRuns > 0
    ? found(
        "problem",
        "queues.lost_runs",
        `${facts.lapsedRuns} runs are held by workers that are gone, and nobody ends them`,
        "Start a worker, or 'admin jobs run runs.recover'."
      )
    : ok("queues.lost_runs", "Every run that is executed has a worker"),
  waitingFinding("queues.events", "event", facts.oldestEventSeconds),
  waitingFinding("queues.deliveries", "webhook delivery", facts.oldestDueDeliverySeconds),
  waitingFinding("queues.replays", "replay", facts.oldestPendingReplaySeconds),
  facts.hasRoomNextMonth
    ? ok("queues.partitions", "There is a partition for next month")
    : found(
        "warning",
        "queues.partitions",
        "There is no partition for the webhook history of next month",
        "Run a scheduler, or 'admin jobs run webhooks.tidy_history'."
      )
]

/** Findings about the job queue. */
export const queueFindings = ({ isInstalled, missing, waiting }: QueueFacts): ReadonlyArray<Finding> => {
  if (!isInstalled) {
    return [
      found(
        "problem",
        "queues.installed",
        "The queue of jobs lacks tables of this release here",
        "Run 'admin migrate'."
      )
    ]
  }
  const failing = waiting.filter(({ retries }) => retries >= RETRIES_MANY)
  const late = waiting.filter(({ dueSeconds }) => dueSeconds > WAITING_SECONDS)
  return [
    missing.length > 0
      ? found("problem", "queues.installed", `These queues are missing: ${missing.join(", ")}`, "Run 'admin migrate'.")
      : ok("queues.installed", "Every queue is there"),
    late.length > 0
      ? found(
          "warning",
          "queues.jobs",
          `Jobs wait: ${late.map(({ dueSeconds, name }) => `${name} for ${spanOf(dueSeconds)}`).join(", ")}`,
          "Start what does them: the scheduler, and workers for some of them (see 'admin jobs list')."
        )
      : ok("queues.jobs", "No job waits for long"),
    failing.length > 0
      ? found(
          "warning",
          "queues.failing",
          `Jobs fail again and again: ${failing.map(({ name, retries }) => `${name} ${retries} times`).join(", ")}`,
          "Look at 'admin jobs history' and at the logs of workers and scheduler."
        )
      : ok("queues.failing", "No job fails again and again")
  ]
}

/** Whether a job is overdue: by the first time of its clock after its last run has begun. */
const isLate = (cron: string, last: JobRun, now: DateTime.Utc): boolean => {
  const due = Cron.next(Result.getOrThrow(Cron.parse(cron, "UTC")), DateTime.toDateUtc(last.startedAt))
  const seconds = (DateTime.toEpochMillis(now) - due.getTime()) / 1_000
  return seconds > (last.status === "running" ? RUNNING_SECONDS_MAX : LATE_SECONDS)
}

/** Findings about scheduled jobs, by their last outcomes. */
export const scheduleFindings = (
  jobs: ReadonlyArray<Pick<(typeof CLOCK)[number], "kind" | "cron">>,
  latest: ReadonlyMap<string, JobRun>,
  now: DateTime.Utc
): ReadonlyArray<Finding> => {
  const ran = jobs.flatMap(({ cron, kind }) => {
    const last = latest.get(kind.name)
    return last === undefined ? [] : [{ cron, last }]
  })
  const late = ran.filter(({ cron, last }) => isLate(cron, last, now))
  const wrong = ran.filter(({ last }) => last.status === "failed" || last.status === "lost")
  const clock =
    ran.length === 0
      ? found("notice", "jobs.clock", "No job by the clock has run yet", "Run a scheduler: 'admin scheduler'.")
      : late.length > 0
        ? found(
            "warning",
            "jobs.clock",
            `These jobs are overdue: ${late.map(({ last }) => last.name).join(", ")}`,
            "See that a scheduler runs, and workers for what they do."
          )
        : ok("jobs.clock", "Jobs by the clock ran when they were due")
  return [
    clock,
    ...(wrong.length === 0
      ? [ok("jobs.outcomes", "The last run of no job has failed")]
      : wrong.map(({ last }) =>
          found(
            "warning",
            "jobs.outcomes",
            `The last run of ${last.name} ${last.status === "lost" ? "was lost with its process" : `failed: ${last.error}`}`,
            `Look at 'admin jobs history ${last.name}'; try it with 'admin jobs run ${last.name}'.`
          )
        ))
  ]
}
