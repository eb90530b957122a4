import { EventLog, type TakenEvent } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { type Delivery, newDelivery } from "../Delivery.ts"
import { subscribes } from "../Endpoint.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"
import type { SendableDelivery } from "../SendableDelivery.ts"

/** The deliveries of one event. It may leave the outbox when each of them is written. */
export interface HandedOut {
  readonly event: TakenEvent
  /** Those that can be attempted at once. */
  readonly sendable: ReadonlyArray<SendableDelivery>
  /** Those that are dead from the start, for a replay to send later. */
  readonly dead: ReadonlyArray<Delivery>
}

/**
 * Decides what events come to: one delivery for each endpoint that subscribed. Writes nothing. Of an event that was handed
 * out before, only those that are not written yet. Spec: Events 1 and 4.
 */
export const fanOutEvents = useCase("webhooks.fanOutEvents")(function* (taken: ReadonlyArray<TakenEvent>) {
  const log = yield* EventLog
  const endpoints = yield* EndpointHealthStore
  const deliveries = yield* DeliverySettlement
  const ids = taken.map(({ id }) => id)
  const [found, known] = yield* Effect.all([log.find(ids), endpoints.recipients(ids)], { concurrency: 2 })
  const events = new Map(found.map((event) => [event.id, event]))
  const recipients = Map.groupBy(known, ({ endpoint }) => endpoint.organizationId)
  const now = yield* DateTime.now
  const matched = taken.map((one) => {
    const event = events.get(one.id)
    if (event === undefined) return { event: one, sendable: [] }
    const subscribed = (recipients.get(event.organizationId) ?? []).filter(({ endpoint }) =>
      subscribes(endpoint, event)
    )
    const sendable = subscribed.map((recipient): SendableDelivery => {
      const delivery = newDelivery(recipient.endpoint, event, now)
      return { ...recipient, delivery, body: event.body, trace: event.trace }
    })
    return { event: one, sendable }
  })
  const again = matched.filter(({ event }) => event.attempt > 1).flatMap(({ sendable }) => sendable)
  const written = again.length === 0 ? [] : yield* deliveries.existing(again.map(({ delivery }) => delivery))
  const isWritten = new Set(written.map(({ endpointId, eventId }) => `${endpointId}/${eventId}`))
  return matched.map(({ event, sendable }): HandedOut => {
    const left = sendable.filter(({ delivery }) => !isWritten.has(`${delivery.endpointId}/${delivery.eventId}`))
    return {
      event,
      sendable: left.filter(({ delivery }) => delivery.state === "pending"),
      dead: left.map(({ delivery }) => delivery).filter(({ state }) => state !== "pending")
    }
  })
})
