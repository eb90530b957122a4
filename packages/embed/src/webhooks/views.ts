/** Endpoints, deliveries and replays as plain values. */
import type { Attempt, Delivery, Endpoint, Replay } from "@agent-platform/webhooks"
import { dateOf, maybeDate } from "../internal/dates.ts"

/** An endpoint: a URL to which a tenant wants its events sent. */
export interface WebhookEndpoint {
  readonly id: string
  readonly tenant: string
  readonly url: string
  /** Empty for all types. */
  readonly eventTypes: ReadonlyArray<string>
  readonly description: string | null
  readonly status: "active" | "disabled" | "deleted"
  readonly disabledReason: string | null
  readonly createdAt: Date
}

export const endpointOf = (tenant: string, endpoint: Endpoint): WebhookEndpoint => ({
  id: endpoint.id,
  tenant,
  url: endpoint.url,
  eventTypes: [...endpoint.eventTypes],
  description: endpoint.description,
  status: endpoint.status,
  disabledReason: endpoint.disabledReason,
  createdAt: dateOf(endpoint.createdAt)
})

/** One try of a delivery. */
export interface WebhookAttempt {
  readonly number: number
  readonly attemptedAt: Date
  readonly durationMillis: number
  readonly responseCode: number | null
  readonly error: string | null
  readonly responseExcerpt: string | null
}

/** One event on its way to one endpoint, with its newest attempts, first to last. */
export interface WebhookDelivery {
  readonly eventId: string
  readonly endpointId: string
  readonly eventType: string
  readonly state: "pending" | "delivered" | "dead"
  readonly stateReason: string | null
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  readonly deliveredAt: Date | null
  readonly attempts: ReadonlyArray<WebhookAttempt>
}

export const deliveryOf = ({
  attempts,
  delivery
}: {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<Attempt>
}): WebhookDelivery => ({
  eventId: delivery.eventId,
  endpointId: delivery.endpointId,
  eventType: delivery.eventType,
  state: delivery.state,
  stateReason: delivery.stateReason,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: maybeDate(delivery.nextAttemptAt),
  createdAt: dateOf(delivery.createdAt),
  deliveredAt: maybeDate(delivery.deliveredAt),
  attempts: attempts.map(({ attemptedAt, durationMillis, error, number, responseCode, responseExcerpt }) => ({
    number,
    attemptedAt: dateOf(attemptedAt),
    durationMillis,
    responseCode,
    error,
    responseExcerpt
  }))
})

/** A range of deliveries that is sent again, and how far that has come. */
export interface WebhookReplay {
  readonly id: string
  readonly endpointId: string
  readonly since: Date
  readonly until: Date
  readonly only: "dead" | "all"
  readonly state: "pending" | "running" | "completed" | "stopped"
  readonly replayedCount: number
  readonly finishedAt: Date | null
}

export const replayOf = (replay: Replay): WebhookReplay => ({
  id: replay.id,
  endpointId: replay.endpointId,
  since: dateOf(replay.since),
  until: dateOf(replay.until),
  only: replay.selection,
  state: replay.state,
  replayedCount: replay.replayedCount,
  finishedAt: maybeDate(replay.finishedAt)
})
