/** The queues of pg-boss: one for each kind of job, and how it is set. */
import type { QueueOfJobs } from "@agent-platform/kernel"

/** After so long without a heartbeat a holder is gone. pg-boss sends one in half that time. */
export const LOST_AFTER_SECONDS = 20

/** How often pg-boss's monitor looks for such holders, among all processes that supervise. */
export const MONITOR_SECONDS = 10

/** How long a job is kept that is over, and how often such jobs are deleted. */
export const FINISHED_KEPT_SECONDS = 3_600
export const MAINTENANCE_SECONDS = 600

const YEAR_SECONDS = 365 * 24 * 3600

/** The key of the one job that a singleton's queue has. The policy allows one for each key. */
export const SINGLETON_KEY = "one"

/** Of a singleton one job at most waits or is under way. */
export const policyOf = ({ isSingleton }: QueueOfJobs): string => (isSingleton ? "exclusive" : "standard")

/**
 * How a queue is set. A job is never given up: it is retried without end and waits for ten years. pg-boss allows nobody to
 * hold a job for longer than a day. It does not notify: the kernel's `Signals` wake the workers after the commit.
 */
export const settingsOf = ({ retrySeconds, retrySecondsMax }: QueueOfJobs) => ({
  retryLimit: 1_000_000_000,
  retryDelay: retrySeconds,
  ...(retrySecondsMax > retrySeconds
    ? { retryBackoff: true, retryDelayMax: retrySecondsMax }
    : { retryBackoff: false, retryDelayMax: null }),
  expireInSeconds: 24 * 3600,
  heartbeatSeconds: LOST_AFTER_SECONDS,
  retentionSeconds: 10 * YEAR_SECONDS,
  deleteAfterSeconds: FINISHED_KEPT_SECONDS,
  notify: false
})
