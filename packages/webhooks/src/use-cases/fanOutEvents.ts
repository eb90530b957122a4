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
  /** The deliveries that can be attempted at once. */
  readonly sendable: ReadonlyArray<SendableDelivery>
  /** The deliveries that are dead from the start, for a replay to send later. */
  readonly dead: ReadonlyArray<Delivery>
}

/**
 * Decides which deliveries events have: one for each endpoint that subscribed. Writes nothing. For an event that was taken
 * before, it returns only the deliveries that are not written yet. Spec: Events 1 and 4.
 */
export const fanOutEvents = useCase("webhooks.fanOutEvents")(function* (taken: ReadonlyArray<TakenEvent>) {
  const log = yield* EventLog
  const endpoints = yield* EndpointHealthStore
  const deliveries = yield* DeliverySettlement
  const ids = taken.map(({ id }) => id)
  const [records, endpointsOfAll] = yield* Effect.all([log.find(ids), endpoints.recipients(ids)], { concurrency: 2 })
  const events = new Map(records.map((event) => [event.id, event]))
  const recipients = Map.groupBy(endpointsOfAll, ({ endpoint }) => endpoint.organizationId)
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
  const retaken = matched.filter(({ event }) => event.attempt > 1).flatMap(({ sendable }) => sendable)
  const written = retaken.length === 0 ? [] : yield* deliveries.existing(retaken.map(({ delivery }) => delivery))
  const isWritten = new Set(written.map(({ endpointId, eventId }) => `${endpointId}/${eventId}`))
  return matched.map(({ event, sendable }): HandedOut => {
    const unwritten = sendable.filter(({ delivery }) => !isWritten.has(`${delivery.endpointId}/${delivery.eventId}`))
    return {
      event,
      sendable: unwritten.filter(({ delivery }) => delivery.state === "pending"),
      dead: unwritten.map(({ delivery }) => delivery).filter(({ state }) => state !== "pending")
    }
  })
})
