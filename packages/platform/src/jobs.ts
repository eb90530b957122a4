import {
  ACTIVITY_DAYS,
  type ActivityFeed,
  fileNotices,
  forgetOld,
  NOTIFICATION_DAYS,
  type NotificationFeed,
  type Retention
} from "@agent-platform/feeds"
import { defineJob, dispatchEvent, type FeedLog, Idempotency, type JobKind, UnitOfWork } from "@agent-platform/kernel"
import { type ApiKeyStore, type LoginStore, ProviderKeys, pruneLogins, warnOfExpiry } from "@agent-platform/keys"
import { RunStore } from "@agent-platform/runs"
import { type DeliveryHistory, HISTORY_DAYS, replayRange, tidyHistory } from "@agent-platform/webhooks"
import { Context, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"

const pruneIdempotencyKeys = defineJob("idempotency_keys.prune", Schema.Struct({}))
const pruneOldLogins = defineJob("logins.prune", Schema.Struct({}))
const probeProviderKeys = defineJob("provider_keys.probe", Schema.Struct({}))
const fileNotifications = defineJob("notifications.file", Schema.Struct({}))
const forgetFeeds = defineJob("feeds.forget", Schema.Struct({}))
const warnOfKeyExpiry = defineJob("api_keys.warn_of_expiry", Schema.Struct({}))
const tidyWebhookHistory = defineJob("webhooks.tidy_history", Schema.Struct({}))

/** How many days events and deliveries are kept at least; whoever runs the scheduler may say so. */
export const WebhookHistoryDays = Context.Reference<number>("@agent-platform/platform/WebhookHistoryDays", {
  defaultValue: () => HISTORY_DAYS
})

/** How many days notices and entries of the activity feed are kept; whoever runs the scheduler may say so. */
export const FeedRetention = Context.Reference<Retention>("@agent-platform/platform/FeedRetention", {
  defaultValue: () => ({ notificationDays: NOTIFICATION_DAYS, activityDays: ACTIVITY_DAYS })
})

/** What the scheduler's work is done with. */
export type ScheduledPorts =
  | UnitOfWork
  | Idempotency
  | LoginStore
  | RunStore
  | DeliveryHistory
  | ApiKeyStore
  | FeedLog
  | NotificationFeed
  | ActivityFeed
  | SecureRandom.SecureRandom

/** Work that is due by the clock, whoever runs it. */
export interface ScheduledJob<R = ScheduledPorts> {
  readonly kind: JobKind<object>
  /** When, as a cron expression in UTC. */
  readonly cron: string
  /** What is done; safe to do twice and at once. Answers a line for the log. */
  readonly run: Effect.Effect<string, never, R>
}

/** Everything that the admin scheduler does by the clock. */
export const SCHEDULED_JOBS: ReadonlyArray<ScheduledJob> = [
  {
    kind: pruneIdempotencyKeys,
    cron: "17 * * * *",
    run: Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const keys = yield* Idempotency
      const runs = yield* RunStore
      const count = yield* unit.atomic(keys.prune(runs.unfinishedAmong))
      return `Forgot ${count} idempotency keys older than a day`
    })
  },
  {
    kind: pruneOldLogins,
    // Anybody can begin a login, so what is left of them does not wait for an hour.
    cron: "*/10 * * * *",
    run: Effect.map(
      pruneLogins(),
      ({ attempts, sessions }) => `Forgot ${attempts} logins that were not completed, and ${sessions} old sessions`
    )
  },
  {
    kind: tidyWebhookHistory,
    cron: "43 3 * * *",
    run: Effect.gen(function* () {
      const { forgotten, kept } = yield* tidyHistory(yield* WebhookHistoryDays)
      const names = (months: ReadonlyArray<string>) => (months.length === 0 ? "none" : months.join(", "))
      return `Webhook history by month: forgot ${names(forgotten)}; kept ${names(kept)} for pending deliveries`
    })
  },
  {
    kind: fileNotifications,
    // What is not filed is counted one by one, so it is not left to grow.
    cron: "* * * * *",
    run: Effect.map(fileNotices(), (count) => `Filed ${count} notices`)
  },
  {
    kind: forgetFeeds,
    cron: "23 4 * * *",
    run: Effect.gen(function* () {
      const { activity, notifications } = yield* forgetOld(yield* FeedRetention)
      return `Forgot ${notifications} old notices, and ${activity} old entries of the activity feed`
    })
  },
  {
    kind: warnOfKeyExpiry,
    cron: "29 * * * *",
    run: Effect.map(warnOfExpiry(), (count) => `Told of ${count} API keys that expire soon`)
  }
]

/** What is due by the clock and takes secrets or calls strangers: the workers have the means for both. */
export const WORKER_JOBS: ReadonlyArray<ScheduledJob<ProviderKeys>> = [
  {
    kind: probeProviderKeys,
    cron: "41 */6 * * *",
    run: Effect.gen(function* () {
      const keys = yield* ProviderKeys
      const { asked, fresh, invalidated, recovered, undecided, unreadable } = yield* keys.probeProviderKeys()
      return (
        `Asked about ${asked} provider keys: ${invalidated} are refused, ${recovered} are taken again, ` +
        `${undecided} could not be asked about; ${fresh} were in use lately, ${unreadable} do not open`
      )
    })
  }
]

/** Everything that is enqueued by the clock, whoever does it. */
export const CLOCK: ReadonlyArray<Pick<ScheduledJob, "kind" | "cron">> = [...SCHEDULED_JOBS, ...WORKER_JOBS]

/** Every kind of job there is; each has a queue of its own. */
export const JOB_KINDS: ReadonlyArray<{ readonly name: string }> = [
  dispatchEvent,
  replayRange,
  ...CLOCK.map((job) => job.kind)
]
