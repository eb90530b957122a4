import { bodyOf, type TakenEvent } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { type Delivery, newDelivery } from "../Delivery.ts"
import { subscribes } from "../Endpoint.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import type { TakenEvents } from "../ports/EventDispatch.ts"
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
export const fanOutEvents = useCase("webhooks.fanOutEvents")(function* ({ events, recipients }: TakenEvents) {
  const deliveries = yield* DeliverySettlement
  const byOrganization = Map.groupBy(recipients, ({ endpoint }) => endpoint.organizationId)
  const now = yield* DateTime.now
  const matched = events.map(({ record, taken }) => {
    if (record === undefined) return { event: taken, sendable: [] }
    const subscribed = (byOrganization.get(record.organizationId) ?? []).filter(({ endpoint }) =>
      subscribes(endpoint, record)
    )
    const body = subscribed.length === 0 ? "" : bodyOf(record)
    const sendable = subscribed.map((recipient): SendableDelivery => {
      const delivery = newDelivery(recipient.endpoint, record, now)
      return { ...recipient, delivery, body, trace: record.trace }
    })
    return { event: taken, sendable }
  })
  // An event that is taken for the first time has no delivery with a row yet.
  const retaken = matched.filter(({ event }) => event.attempt > 1).flatMap(({ sendable }) => sendable)
  const written = retaken.length === 0 ? [] : yield* deliveries.existing(retaken.map(({ delivery }) => delivery))
  const writtenKeys = new Set(written.map(({ endpointId, eventId }) => `${endpointId}/${eventId}`))
  return matched.map(({ event, sendable }): HandedOut => {
    const unwritten = sendable.filter(({ delivery }) => !writtenKeys.has(`${delivery.endpointId}/${delivery.eventId}`))
    return {
      event,
      sendable: unwritten.filter(({ delivery }) => delivery.state === "pending"),
      dead: unwritten.map(({ delivery }) => delivery).filter(({ state }) => state !== "pending")
    }
  })
})
