/** Jobs: work that must happen, kept by the queue until it has. */
import { Schema } from "effect"
import { EventId } from "./Ids.ts"

/** A kind of job: its name in the queue and the schema of its payload. */
export interface JobKind<Payload> {
  readonly name: string
  readonly payload: Schema.Codec<Payload, unknown>
}

/** Declares a kind of job. The name is `<domain>.<act>`. */
export const defineJob = <Payload>(name: string, payload: Schema.Codec<Payload, unknown>): JobKind<Payload> => ({
  name,
  payload
})

/** A job taken from the queue. `attempt` is part of its fence: a job retaken by another is no longer this one. */
export interface Job<Payload> {
  readonly id: string
  readonly kind: JobKind<Payload>
  readonly payload: Payload
  readonly attempt: number
}

/**
 * Bring one event to whoever subscribed to it: one job an event, never one a delivery. `trace` is the `traceparent` of what
 * the event reports, where that is recorded.
 */
export const dispatchEvent: JobKind<{ readonly event_id: EventId; readonly trace?: string }> = defineJob(
  "events.dispatch",
  Schema.Struct({ event_id: EventId, trace: Schema.optionalKey(Schema.String) })
)
