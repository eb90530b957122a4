import { timeOfId } from "@agent-platform/kernel"
import type { Attempt, Delivery, Endpoint, Replay } from "@agent-platform/webhooks"

/** An endpoint as the contract shows it; its secret is not in it. */
export const endpointView = (endpoint: Endpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  eventTypes: endpoint.eventTypes,
  description: endpoint.description,
  status: endpoint.status,
  disabledReason: endpoint.disabledReason,
  createdAt: endpoint.createdAt
})

const attemptView = (attempt: Attempt) => ({
  number: attempt.number,
  attemptedAt: attempt.attemptedAt,
  durationMs: attempt.durationMillis,
  responseCode: attempt.responseCode,
  error: attempt.error,
  responseExcerpt: attempt.responseExcerpt,
  remoteIp: attempt.remoteIp
})

/** A delivery as the contract shows it, under the id of its event. */
export const deliveryView = (delivery: Delivery, attempts: ReadonlyArray<Attempt>) => ({
  deliveryId: delivery.eventId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  state: delivery.state,
  stateReason: delivery.stateReason,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: delivery.nextAttemptAt,
  createdAt: delivery.createdAt,
  deliveredAt: delivery.deliveredAt,
  attempts: attempts.map(attemptView)
})

const progressOf = (replay: Replay) => {
  if (replay.state === "completed") return replay.until
  return replay.position === null ? null : timeOfId(replay.position)
}

/** A replay as the contract shows it. */
export const replayView = (replay: Replay) => ({
  id: replay.id,
  endpointId: replay.endpointId,
  state: replay.state,
  stateReason: replay.stateReason,
  since: replay.since,
  until: replay.until,
  status: replay.selection,
  replayedCount: replay.replayedCount,
  progressedTo: progressOf(replay),
  createdAt: replay.createdAt,
  startedAt: replay.startedAt,
  finishedAt: replay.finishedAt
})
