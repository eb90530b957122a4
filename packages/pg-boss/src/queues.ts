/** The queues of pg-boss, one for each kind of job, and their settings. */
import type { QueueOfJobs } from "@agent-platform/kernel"

/** After this time without a heartbeat a holder counts as gone. pg-boss sends one every half of it. */
export const LOST_AFTER_SECONDS = 20

/** How often pg-boss's monitor looks for such holders, in one of the processes that supervise. */
export const MONITOR_SECONDS = 10

/** How long a finished job is kept, and how often finished jobs are deleted. */
export const FINISHED_KEPT_SECONDS = 3_600
export const MAINTENANCE_SECONDS = 600

const YEAR_SECONDS = 365 * 24 * 3600

/** The key of the one job that a singleton's queue has. The policy allows one for each key. */
export const SINGLETON_KEY = "one"

/** The policy of a queue: of a singleton, at most one job waits or is under way. */
export const policyOf = ({ isSingleton }: QueueOfJobs): string => (isSingleton ? "exclusive" : "standard")

/**
 * The settings of a queue. A job is never given up: it is retried without end, and waits for up to ten years. A day is the longest
 * that pg-boss lets anybody hold a job. `notify` is off, because the kernel's `Signals` wake the workers after the commit.
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
