/** The queues of pg-boss: one for each kind of job, and how it is set. */
import type { UpdateQueueOptions } from "pg-boss"

/** How often a holder shows that it lives, and how often lost holders are looked for. */
export const HEARTBEAT_SECONDS = 3
export const SWEEP_SECONDS = 2

/** After so long without a sign its holder is gone; pg-boss takes no less. With the sweep that makes 12 s at most. */
const LOST_AFTER_SECONDS = 10

const YEAR_SECONDS = 365 * 24 * 3600

/**
 * How long a job is kept that has come to its end. Ours are deleted when they are completed; what pg-boss's own clock leaves
 * behind would lie for a week in the table that every look for a job goes through.
 */
export const FINISHED_KEPT_SECONDS = 3_600

/** The queue by which pg-boss's clock enqueues what is due. */
export const CLOCK_QUEUE = "__pgboss__send-it"

/**
 * What every queue has. A job is never given up: it may be retried without end and at once, and waits for ten years.
 * pg-boss allows nobody to hold a job for longer than a day. It does not notify: a NOTIFY inside the enqueuing transaction
 * cost three quarters of the writes at 16 clients, so the kernel's `Signals` wake the workers after the commit.
 */
export const SETTINGS = {
  retryLimit: 1_000_000_000,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: 24 * 3600,
  heartbeatSeconds: LOST_AFTER_SECONDS,
  retentionSeconds: 10 * YEAR_SECONDS,
  deleteAfterSeconds: FINISHED_KEPT_SECONDS,
  notify: false
} satisfies UpdateQueueOptions

/** The same for a job that is put into its queue, by the names of pg-boss's columns. */
export const JOB_SETTINGS = {
  policy: "'standard'",
  retry_limit: SETTINGS.retryLimit,
  retry_delay: SETTINGS.retryDelay,
  retry_backoff: SETTINGS.retryBackoff,
  expire_seconds: SETTINGS.expireInSeconds,
  heartbeat_seconds: SETTINGS.heartbeatSeconds,
  deletion_seconds: SETTINGS.deleteAfterSeconds
} as const

/** How long a job waits to be taken. */
export const RETENTION_SECONDS = SETTINGS.retentionSeconds
