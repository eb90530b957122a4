import { defineJob, dispatchEvent, Idempotency, type JobKind, UnitOfWork } from "@agent-platform/kernel"
import { executeRun } from "@agent-platform/runs"
import { type DeliveryHistory, HISTORY_DAYS, replayRange, tidyHistory } from "@agent-platform/webhooks"
import { Context, Effect, Schema } from "effect"

const pruneIdempotencyKeys = defineJob("idempotency_keys.prune", Schema.Struct({}))

const tidyWebhookHistory = defineJob("webhooks.tidy_history", Schema.Struct({}))

/** How many days events and deliveries are kept at least; whoever runs the scheduler may say so. */
export const WebhookHistoryDays = Context.Reference<number>("@agent-platform/platform/WebhookHistoryDays", {
  defaultValue: () => HISTORY_DAYS
})

/** What scheduled work needs. */
export type ScheduledPorts = UnitOfWork | Idempotency | DeliveryHistory

/** Work that is due by the clock, whoever runs it. */
export interface ScheduledJob {
  readonly kind: JobKind<object>
  /** When, as a cron expression in UTC. */
  readonly cron: string
  /** What is done; safe to do twice and at once. Answers a line for the log. */
  readonly run: Effect.Effect<string, never, ScheduledPorts>
}

/** Everything that the admin scheduler does by the clock. */
export const SCHEDULED_JOBS: ReadonlyArray<ScheduledJob> = [
  {
    kind: pruneIdempotencyKeys,
    cron: "17 * * * *",
    run: Effect.gen(function* () {
      const unit = yield* UnitOfWork
      const keys = yield* Idempotency
      const count = yield* unit.atomic(keys.prune)
      return `Forgot ${count} idempotency keys older than a day`
    })
  },
  {
    kind: tidyWebhookHistory,
    cron: "43 3 * * *",
    run: Effect.gen(function* () {
      const { forgotten, kept } = yield* tidyHistory(yield* WebhookHistoryDays)
      const names = (months: ReadonlyArray<string>) => (months.length === 0 ? "none" : months.join(", "))
      return `Webhook history by month: forgot ${names(forgotten)}; kept ${names(kept)} for pending deliveries`
    })
  }
]

/** Every kind of job there is; each has a queue of its own. */
export const JOB_KINDS: ReadonlyArray<{ readonly name: string }> = [
  dispatchEvent,
  executeRun,
  replayRange,
  ...SCHEDULED_JOBS.map((job) => job.kind)
]
