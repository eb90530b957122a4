import { Billing } from "@agent-platform/billing"
import { defineJob, dispatchEvent, Idempotency, type JobKind, UnitOfWork } from "@agent-platform/kernel"
import { type LoginStore, ProviderKeys, pruneLogins } from "@agent-platform/keys"
import { RunStore } from "@agent-platform/runs"
import { type DeliveryHistory, HISTORY_DAYS, replayRange, tidyHistory } from "@agent-platform/webhooks"
import { Context, Effect, Schema } from "effect"

const pruneIdempotencyKeys = defineJob("idempotency_keys.prune", Schema.Struct({}))
const pruneOldLogins = defineJob("logins.prune", Schema.Struct({}))
const probeProviderKeys = defineJob("provider_keys.probe", Schema.Struct({}))
const expireReservations = defineJob("billing.expire_reservations", Schema.Struct({}))
const prepareLedger = defineJob("billing.prepare_ledger", Schema.Struct({}))
const tidyWebhookHistory = defineJob("webhooks.tidy_history", Schema.Struct({}))

/** How many days events and deliveries are kept at least; whoever runs the scheduler may say so. */
export const WebhookHistoryDays = Context.Reference<number>("@agent-platform/platform/WebhookHistoryDays", {
  defaultValue: () => HISTORY_DAYS
})

/** What the scheduler's work is done with. */
export type ScheduledPorts = UnitOfWork | Idempotency | LoginStore | RunStore | DeliveryHistory

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
  }
]

/** What is due by the clock and takes secrets, calls strangers or settles model calls: the workers have the means for it. */
export const WORKER_JOBS: ReadonlyArray<ScheduledJob<ProviderKeys | Billing>> = [
  {
    kind: expireReservations,
    // What a call that was lost holds back is room that the workspace does not have.
    cron: "*/5 * * * *",
    run: Effect.gen(function* () {
      const billing = yield* Billing
      return `Settled ${yield* billing.expireReservations()} model calls that nobody had settled`
    })
  },
  {
    kind: prepareLedger,
    cron: "23 2 * * *",
    run: Effect.gen(function* () {
      const billing = yield* Billing
      yield* billing.prepareLedger()
      return "The ledger has room for the calls of this month and the next two"
    })
  },
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
