/** What an organization's endpoints can receive: the events of every domain in one place. Spec: Events. */
import { workspaceCapReached } from "@agent-platform/billing"
import { EventId } from "@agent-platform/kernel"
import { credentialRevoked } from "@agent-platform/keys"
import { runCancelled, runFailed, runPaused, runSucceeded } from "@agent-platform/runs"
import { Schema } from "effect"

/** Every kind of event that is published, with the schema of its data. */
export const webhookEvents = [
  runSucceeded,
  runPaused,
  runFailed,
  runCancelled,
  credentialRevoked,
  workspaceCapReached
] as const

/** The kinds that an endpoint may subscribe to: the six of the spec. */
export const WebhookEventType = Schema.Literals([
  runSucceeded.type,
  runPaused.type,
  runFailed.type,
  runCancelled.type,
  credentialRevoked.type,
  workspaceCapReached.type
])
export type WebhookEventType = typeof WebhookEventType.Type

const envelope = <const Type extends string, Data extends Schema.Constraint>(kind: {
  readonly type: Type
  readonly data: Data
}) =>
  Schema.Struct({
    id: EventId,
    type: Schema.Literal(kind.type),
    /** ISO 8601 with a numeric offset. */
    created_at: Schema.String,
    data: kind.data
  })

/**
 * What a receiver gets, by `type`. Members that a later version adds are ignored. Check the signature before decoding.
 * Spec: Webhook event envelope; Signature 2.
 */
export const WebhookEvent = Schema.Union([
  envelope(runSucceeded),
  envelope(runPaused),
  envelope(runFailed),
  envelope(runCancelled),
  envelope(credentialRevoked),
  envelope(workspaceCapReached)
])
export type WebhookEvent = typeof WebhookEvent.Type
