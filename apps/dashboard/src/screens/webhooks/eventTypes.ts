/** The kinds of events that endpoints can be sent. */
import type { NewEndpoint } from "@agent-platform/client"

export type EventType = NonNullable<NewEndpoint["event_types"]>[number]

/** Sent to endpoints that name no kinds. */
export const USUAL_TYPES: ReadonlyArray<EventType> = [
  "run.succeeded",
  "run.paused",
  "run.failed",
  "run.cancelled",
  "credential.revoked",
  "workspace.cap_reached"
]

/** All of them. */
export const EVENT_TYPES: ReadonlyArray<EventType> = [
  ...USUAL_TYPES,
  "run.started",
  "agent.paused_reminder",
  "byok.invalid",
  "workspace.cap_near",
  "webhook.disabled"
]
