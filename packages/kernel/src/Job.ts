/** Jobs: work that must happen, kept by the queue until it has. */
import type { Schema } from "effect"

/** A kind of job: its name in the queue and the schema of its payload. */
export interface JobKind<Payload> {
  readonly name: string
  readonly payload: Schema.Codec<Payload, unknown>
}

/** What a kind of job may be called: queues write it into the text of statements. */
const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/

/** Declares a kind of job. The name is `<domain>.<act>`, in small letters; any other is refused with a RangeError. */
export const defineJob = <Payload>(name: string, payload: Schema.Codec<Payload, unknown>): JobKind<Payload> => {
  if (!NAME.test(name)) throw new RangeError(`"${name}" does not name a kind of job: <domain>.<act>, in small letters`)
  return { name, payload }
}

/** A job taken from the queue. `attempt` is part of its fence: a job retaken by another is no longer this one. */
export interface Job<Payload> {
  readonly id: string
  readonly kind: JobKind<Payload>
  readonly payload: Payload
  readonly attempt: number
}
