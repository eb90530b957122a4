import {
  ACTIVITY_DAYS,
  type ActivityFeed,
  fileNotices,
  forgetOld,
  NOTIFICATION_DAYS,
  type NotificationFeed,
  type Retention
} from "@agent-platform/feeds"
import {
  type Idempotency,
  JobHistory,
  type Outbox,
  parseId,
  type QueueOfJobs,
  UnitOfWork,
  WorkspaceId
} from "@agent-platform/kernel"
import { type LoginStore, pruneLogins, pruneTemporaryKeys, warnOfExpiry } from "@agent-platform/keys"
import {
  compressLogs,
  forgetRuns,
  LOG_COMPRESSED_AFTER_SECONDS,
  type RunHistory,
  RunId,
  RunQueue,
  type RunReader,
  recoverRuns,
  remindOfQuestions
} from "@agent-platform/runs"
import {
  type DeliveryHistory,
  HISTORY_DAYS,
  pruneReplays,
  type ReplayStore,
  replayRange,
  tidyHistory
} from "@agent-platform/webhooks"
import { Context, DateTime, Effect } from "effect"
import { eraseSubject } from "./erasure/jobs.ts"
import { forgetRetained } from "./forgetRetained.ts"
import { pruneIdempotencyKeys } from "./pruneIdempotencyKeys.ts"
import { counted, JobUnderWay, reportItems, reportProgress, type ScheduledJob, scheduledKind } from "./ScheduledJob.ts"
import { spreadTemplate } from "./templates/jobs.ts"
import { WORKER_JOBS } from "./workerJobs.ts"

/** How many days events and deliveries are kept at least; a setting of the scheduler. */
export const WebhookHistoryDays = Context.Reference<number>("@agent-platform/platform/WebhookHistoryDays", {
  defaultValue: () => HISTORY_DAYS
})

/** How many days a session is kept after its last run ended; null, the default, for ever. */
export const RunHistoryDays = Context.Reference<number | null>("@agent-platform/platform/RunHistoryDays", {
  defaultValue: () => null
})

/** How many days notices and entries of the activity feed are kept; a setting of the scheduler. */
export const FeedRetention = Context.Reference<Retention>("@agent-platform/platform/FeedRetention", {
  defaultValue: () => ({ notificationDays: NOTIFICATION_DAYS, activityDays: ACTIVITY_DAYS })
})

/** How many days the runs of jobs are remembered, and how many of each job. */
export const JOB_HISTORY_DAYS = 90
export const JOB_RUNS_MAX = 1_000

/** How many runs of jobs are forgotten in one transaction. */
const PORTION = 500

/** This long after the database is back, living workers have renewed their claims. */
const RENEWED_AFTER_SECONDS = 10

/** The ports of the scheduler's work. */
export type ScheduledPorts =
  | UnitOfWork
  | Idempotency
  | JobHistory
  | Outbox
  | LoginStore
  | RunReader
  | RunQueue
  | RunHistory
  | ReplayStore
  | DeliveryHistory
  | NotificationFeed
  | ActivityFeed
  | Effect.Services<ReturnType<typeof forgetRetained>>
  | Effect.Services<ReturnType<typeof recoverRuns>>
  | Effect.Services<ReturnType<typeof remindOfQuestions>>
  | Effect.Services<ReturnType<typeof warnOfExpiry>>

/** Everything that the admin scheduler does by the clock. */
export const SCHEDULED_JOBS: ReadonlyArray<ScheduledJob<ScheduledPorts>> = [
  {
    kind: scheduledKind("idempotency_keys.prune"),
    cron: "17 * * * *",
    does: "Forgets idempotency keys after a day, unless they triggered a run that has not ended",
    run: counted(pruneIdempotencyKeys, (count) => `Forgot ${count} idempotency keys older than a day`)
  },
  {
    kind: scheduledKind("logins.prune"),
    // Anybody can begin a login, so abandoned ones do not wait for an hour.
    cron: "*/10 * * * *",
    does: "Forgets logins that were not completed within 10 minutes, and sessions that are 30 days old",
    run: Effect.gen(function* () {
      const { attempts, sessions } = yield* pruneLogins()
      yield* reportItems(attempts + sessions)
      return `Forgot ${attempts} logins that were not completed, and ${sessions} old sessions`
    })
  },
  {
    kind: scheduledKind("runs.recover"),
    cron: "*/5 * * * *",
    does: "Ends runs whose worker is gone, that expired, or that went on after their cancellation, where no worker does",
    // While the database is away every lease ends. `renew` of no runs tests that it is back, and fails until then; afterwards living
    // workers get time to renew their leases.
    awaits: RunQueue.use((runs) =>
      Effect.andThen(runs.renew([], { leaseSeconds: 0 }), Effect.sleep(`${RENEWED_AFTER_SECONDS} seconds`))
    ),
    run: counted(recoverRuns(), (count) => `Ended or queued again ${count} runs that no worker looked after`)
  },
  {
    kind: scheduledKind("runs.remind_of_questions"),
    cron: "* * * * *",
    does: "Publishes agent.paused_reminder for each question that has waited for an hour, once",
    run: counted(remindOfQuestions(), (count) => `Reminded of ${count} questions`)
  },
  {
    kind: scheduledKind("webhooks.tidy_history"),
    cron: "43 3 * * *",
    does: "Makes partitions for the months to come, and drops months of webhook history as WEBHOOK_HISTORY_DAYS has it",
    run: Effect.gen(function* () {
      const { forgotten, kept } = yield* tidyHistory(yield* WebhookHistoryDays)
      yield* reportItems(forgotten.length)
      const names = (months: ReadonlyArray<string>) => (months.length === 0 ? "none" : months.join(", "))
      return `Webhook history by month: forgot ${names(forgotten)}; kept ${names(kept)} for pending deliveries`
    })
  },
  {
    kind: scheduledKind("webhooks.prune_replays"),
    cron: "53 3 * * *",
    does: "Forgets replays of ranges that ended before the days of WEBHOOK_HISTORY_DAYS",
    run: counted(
      Effect.flatMap(WebhookHistoryDays, (days) => pruneReplays(days)),
      (count) => `Forgot ${count} replays that are over`
    )
  },
  {
    kind: scheduledKind("runs.prune"),
    cron: "13 4 * * *",
    does: "Forgets sessions with their runs and logs as RUN_HISTORY_DAYS has it; nothing without that setting",
    run: Effect.gen(function* () {
      const days = yield* RunHistoryDays
      if (days === null)
        return "Runs are kept for ever, unless their workspaces have it otherwise: RUN_HISTORY_DAYS is not set"
      const { cursor } = yield* JobUnderWay
      const { runs, sessions } = yield* forgetRuns({
        days,
        after: cursor === null ? undefined : parseId(RunId, cursor),
        onPortion: ({ after, seen, total }) => reportProgress({ itemsDone: seen, itemsTotal: total, cursor: after })
      })
      return `Forgot ${runs} runs in ${sessions} sessions whose last run ended more than ${days} days ago`
    })
  },
  {
    kind: scheduledKind("runs.compress_logs"),
    cron: "37 * * * *",
    does: "Compresses the logs of runs that ended an hour ago or earlier, which are read as before",
    run: Effect.gen(function* () {
      const { cursor } = yield* JobUnderWay
      const logs = yield* compressLogs({
        afterSeconds: LOG_COMPRESSED_AFTER_SECONDS,
        after: cursor === null ? undefined : parseId(RunId, cursor),
        onPortion: (itemsDone, after) => reportProgress({ itemsDone, itemsTotal: null, cursor: after })
      })
      yield* reportItems(logs)
      return `Compressed the logs of ${logs} runs`
    })
  },
  {
    kind: scheduledKind("runs.prune_retained"),
    cron: "3 4 * * *",
    does: "Forgets sessions of workspaces that have retention_days, with all that belongs to their runs",
    run: Effect.gen(function* () {
      const { cursor } = yield* JobUnderWay
      const { runs, workspaces } = yield* forgetRetained({
        after: cursor === null ? undefined : parseId(WorkspaceId, cursor),
        onWorkspace: (after, itemsDone) => reportProgress({ itemsDone, itemsTotal: null, cursor: after })
      })
      yield* reportItems(runs)
      return `Forgot ${runs} runs of ${workspaces} workspaces with a retention of their own`
    })
  },
  {
    kind: scheduledKind("job_history.prune"),
    cron: "33 4 * * *",
    does: `Forgets runs of jobs after ${JOB_HISTORY_DAYS} days, and all but the last ${JOB_RUNS_MAX} of each job`,
    run: Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const history = yield* JobHistory
      const before = DateTime.subtract(yield* DateTime.now, { days: JOB_HISTORY_DAYS })
      let count = 0
      while (true) {
        const pruned = yield* unit.atomic(history.prune({ before, perJob: JOB_RUNS_MAX, max: PORTION }))
        count += pruned
        if (pruned < PORTION) break
      }
      yield* reportItems(count)
      return `Forgot ${count} runs of jobs`
    })
  },
  {
    kind: scheduledKind("notifications.file"),
    // Notices without a number are counted one by one at each reading, so there should be few.
    cron: "* * * * *",
    does: "Files notices, so that unread ones are counted fast however many there are",
    run: counted(fileNotices(), (count) => `Filed ${count} notices`)
  },
  {
    kind: scheduledKind("feeds.forget"),
    cron: "23 4 * * *",
    does: "Forgets notices and entries of the activity feed as NOTIFICATION_DAYS and ACTIVITY_DAYS have it",
    run: Effect.gen(function* () {
      const { activity, notifications } = yield* forgetOld(yield* FeedRetention)
      yield* reportItems(activity + notifications)
      return `Forgot ${notifications} old notices, and ${activity} old entries of the activity feed`
    })
  },
  {
    kind: scheduledKind("api_keys.warn_of_expiry"),
    cron: "29 * * * *",
    does: "Posts a notice for each API key that expires within a week, once",
    run: counted(warnOfExpiry(), (count) => `Warned of ${count} API keys that expire soon`)
  },
  {
    kind: scheduledKind("api_keys.prune_temporary"),
    cron: "37 * * * *",
    does: "Forgets browser keys and webhook grants a day after they expired",
    run: counted(pruneTemporaryKeys(), (count) => `Forgot ${count} temporary keys that are over`)
  }
]

/** All jobs that are enqueued by the clock, those of the scheduler and those of workers. */
export const CLOCK: ReadonlyArray<Pick<ScheduledJob<never>, "kind" | "cron" | "does">> = [
  ...SCHEDULED_JOBS,
  ...WORKER_JOBS
]

/** Every kind of job there is; each has a queue of its own. */
export const JOB_KINDS: ReadonlyArray<QueueOfJobs> = [
  replayRange,
  eraseSubject,
  spreadTemplate,
  ...CLOCK.map((job) => job.kind)
]
