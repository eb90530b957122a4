/** One event on its way to one endpoint: pending, then delivered or dead. Spec: Webhook delivery. */
import type { EventId, OrganizationId } from "@agent-platform/kernel"
import { DateTime, Schema } from "effect"
import type { Endpoint, EndpointId, EndpointStatus } from "./Endpoint.ts"
import { retryDelayMillis } from "./RetrySchedule.ts"

export const DeliveryState = Schema.Literals(["pending", "delivered", "dead"])
export type DeliveryState = typeof DeliveryState.Type

/** Why a delivery is dead. */
export const DeadReason = Schema.Literals(["retries_exhausted", "endpoint_deleted", "endpoint_disabled"])
export type DeadReason = typeof DeadReason.Type

/** How much of an answer is kept, in bytes of UTF-8. */
export const EXCERPT_BYTES_MAX = 1024

/** How many attempts of a delivery are shown: the newest. A schedule makes 11 at most, and each replay starts another. */
export const ATTEMPTS_SHOWN_MAX = 20

/** There is one delivery of an event to an endpoint, however often it is sent, so the two together identify it. */
export interface Delivery {
  readonly endpointId: EndpointId
  readonly eventId: EventId
  readonly organizationId: OrganizationId
  readonly eventType: string
  readonly state: DeliveryState
  readonly stateReason: DeadReason | null
  /** Attempts ever made. */
  readonly attemptCount: number
  /** Failures since the retry schedule last started; a replay starts it anew. */
  readonly failures: number
  /** When the next attempt is due; null unless pending. */
  readonly nextAttemptAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly deliveredAt: DateTime.Utc | null
}

/** One try as it went; the store gives it its number. */
export interface AttemptMade {
  readonly attemptedAt: DateTime.Utc
  readonly durationMillis: number
  readonly responseCode: number | null
  /** Why there was no answer; null when there was one. */
  readonly error: string | null
  readonly responseExcerpt: string | null
  readonly remoteIp: string | null
}

/** One try, kept beside the others of its delivery for as long as the delivery is. */
export interface Attempt extends AttemptMade {
  /** 1 for the first try of the delivery. */
  readonly number: number
}

/** The outcome of one attempt. */
export interface AttemptOutcome extends AttemptMade {
  readonly retryAfterSeconds: number | undefined
}

/** No such delivery at this endpoint. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}

/** The delivery of an event to an endpoint that matches it; dead at once where the endpoint is not active. */
export const newDelivery = (
  endpoint: Endpoint,
  event: { readonly id: EventId; readonly type: string },
  now: DateTime.Utc
): Delivery =>
  underEndpointStatus(
    {
      endpointId: endpoint.id,
      eventId: event.id,
      organizationId: endpoint.organizationId,
      eventType: event.type,
      state: "pending",
      stateReason: null,
      attemptCount: 0,
      failures: 0,
      nextAttemptAt: now,
      createdAt: now,
      deliveredAt: null
    },
    endpoint.status
  )

/** Whether an answer is a success. Spec: Delivery and replay 1. */
export const isSuccess = (responseCode: number | null): boolean =>
  responseCode !== null && responseCode >= 200 && responseCode < 300

/** The delivery after one more try: delivered, due again, or dead when no retry is left. `jitter` is from 0 to 1. */
const afterAttempt = (
  delivery: Delivery,
  outcome: AttemptOutcome,
  jitter: number,
  retryDelaysSeconds?: ReadonlyArray<number>
): Delivery => {
  const endedAtMillis = DateTime.toEpochMillis(outcome.attemptedAt) + outcome.durationMillis
  const attemptCount = delivery.attemptCount + 1
  if (isSuccess(outcome.responseCode)) {
    return {
      ...delivery,
      state: "delivered",
      stateReason: null,
      attemptCount,
      nextAttemptAt: null,
      deliveredAt: DateTime.makeUnsafe(endedAtMillis)
    }
  }
  const failures = delivery.failures + 1
  const options = { jitter, retryAfterSeconds: outcome.retryAfterSeconds }
  const delayMillis = retryDelayMillis(failures, options, retryDelaysSeconds)
  return delayMillis === undefined
    ? { ...delivery, state: "dead", stateReason: "retries_exhausted", attemptCount, failures, nextAttemptAt: null }
    : { ...delivery, attemptCount, failures, nextAttemptAt: DateTime.makeUnsafe(endedAtMillis + delayMillis) }
}

/** The delivery sent again from the start of the schedule, due now. Old attempts stay. Spec: Delivery and replay 4. */
const replayed = (delivery: Delivery, now: DateTime.Utc): Delivery => ({
  ...delivery,
  state: "pending",
  stateReason: null,
  failures: 0,
  nextAttemptAt: now,
  deliveredAt: null
})

/**
 * The delivery at an endpoint of this status: a pending one is dead where the endpoint is disabled or deleted, so that
 * nothing waits there. A delivered or dead one stays as it is.
 */
const underEndpointStatus = (delivery: Delivery, status: EndpointStatus): Delivery =>
  status === "active" || delivery.state !== "pending"
    ? delivery
    : {
        ...delivery,
        state: "dead",
        stateReason: status === "deleted" ? "endpoint_deleted" : "endpoint_disabled",
        nextAttemptAt: null
      }

/** The changes of a delivery's state, as in `Delivery.replayed(delivery, now)`. */
export const Delivery = { afterAttempt, replayed, underEndpointStatus }
