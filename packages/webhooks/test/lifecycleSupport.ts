/** Shared by the tests of an endpoint's life. */
import { EventId, EventLog, type OrganizationCaller, type OrganizationId } from "@agent-platform/kernel"
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { anEvent } from "@agent-platform/kernel/testing"
import {
  type Delivery,
  DeliveryRecords,
  DeliverySettlement,
  type Endpoint,
  eventIdBound
} from "@agent-platform/webhooks"
import { aDelivery } from "@agent-platform/webhooks/testing"
import { type DateTime, Effect } from "effect"
import { atomic } from "./support.ts"

/** The actions of the organization in the activity feed, in order. */
export const actionsOf = (organizationId: OrganizationId) =>
  Effect.map(activityOf(organizationId), (entries) => entries.map(({ action }) => action))

/** The activity of the organization, oldest first. */
export const activityOf = (organizationId: OrganizationId) =>
  Effect.gen(function* () {
    const { activity } = feedTables(yield* MemoryDatabase)
    return (yield* activity.all).filter((entry) => entry.organizationId === organizationId)
  })

/** How a use case is called for an endpoint. */
export const callFor = (caller: OrganizationCaller, endpoint: Endpoint) => ({ caller, endpointId: endpoint.id })

let made = 0

/** The id of an event that happened at this moment. */
export const eventIdAt = (at: DateTime.Utc): EventId => {
  made++
  return EventId.make(`${eventIdBound(at).slice(0, 13)}-7000-8000-${made.toString(16).padStart(12, "0")}`)
}

/** A delivery to the endpoint as it is to be, of an event that happened at this moment. */
export const deliveryAt = (endpoint: Endpoint, at: DateTime.Utc, override: Partial<Delivery> = {}) =>
  Effect.gen(function* () {
    const { organizationId } = endpoint
    const event = anEvent({ id: eventIdAt(at), organizationId, createdAt: at })
    const delivery = aDelivery({ endpointId: endpoint.id, eventId: event.id, organizationId, ...override })
    yield* EventLog.use((log) => atomic(log.append(event)))
    yield* DeliverySettlement.use((store) => atomic(store.insert([delivery])))
    return delivery
  })

export const DEAD = { state: "dead", stateReason: "retries_exhausted", failures: 11, nextAttemptAt: null } as const

/** The delivery as it is now. */
export const now = (delivery: Delivery) =>
  DeliveryRecords.use((store) => store.find(delivery.endpointId, delivery.eventId))
