import { defineJob, dispatchEvent, Idempotency, type JobKind, UnitOfWork } from "@agent-platform/kernel"
import { executeRun } from "@agent-platform/runs"
import { replayRange } from "@agent-platform/webhooks"
import { Effect, Schema } from "effect"

const pruneIdempotencyKeys = defineJob("idempotency_keys.prune", Schema.Struct({}))

/** Work that is due by the clock, whoever runs it. */
export interface ScheduledJob {
  readonly kind: JobKind<object>
  /** When, as a cron expression in UTC. */
  readonly cron: string
  /** What is done; safe to do twice and at once. Answers a line for the log. */
  readonly run: Effect.Effect<string, never, UnitOfWork | Idempotency>
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
  }
]

/** Every kind of job there is; each has a queue of its own. */
export const JOB_KINDS: ReadonlyArray<{ readonly name: string }> = [
  dispatchEvent,
  executeRun,
  replayRange,
  ...SCHEDULED_JOBS.map((job) => job.kind)
]
