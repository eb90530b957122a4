/** Jobs: work that must happen, kept by the queue until it has. */
import type { Schema } from "effect"

/** How the jobs of a kind are queued and tried again. */
export interface JobSettings {
  /** Whether there is one job of the kind at most, waiting or under way. */
  readonly isSingleton: boolean
  /**
   * Seconds until a job that did not come to its end is tried again; a queue may wait up to twice as long. They double with
   * each try, up to `retrySecondsMax`.
   */
  readonly retrySeconds: number
  readonly retrySecondsMax: number
}

/** A kind of job: its name in the queue, the schema of its payload, and how it is queued. */
export interface JobKind<Payload> extends JobSettings {
  readonly name: string
  readonly payload: Schema.Codec<Payload, unknown>
}

/** A queue as it is made: the kind of its jobs without their payload. */
export type QueueOfJobs = Omit<JobKind<never>, "payload">

/** The name of a kind of job, which queues write into the text of statements. */
const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/

/**
 * Declares a kind of job, by default one with any number of jobs that are tried again after a second. The name is
 * `<domain>.<act>`, in small letters; any other is refused with a RangeError.
 */
export const defineJob = <Payload>(
  name: string,
  payload: Schema.Codec<Payload, unknown>,
  settings: Partial<JobSettings> = {}
): JobKind<Payload> => {
  if (!NAME.test(name)) throw new RangeError(`"${name}" does not name a kind of job: <domain>.<act>, in small letters`)
  const { isSingleton = false, retrySeconds = 1, retrySecondsMax = retrySeconds } = settings
  return { name, payload, isSingleton, retrySeconds, retrySecondsMax }
}

/** A job under way. */
export interface Job<Payload> {
  readonly id: string
  readonly kind: JobKind<Payload>
  readonly payload: Payload
  /** 1 for the first try. */
  readonly attempt: number
}

/** How a handler leaves its job: `again` hands it back, and it is tried again after the delay of its kind. */
export type JobOutcome = "done" | "again"
