/** Shared by the cases of `deliveryContract`: deliveries in the store, claims on them and their settlement. */
import { EventLog, type EventRecord, UnitOfWork } from "@agent-platform/kernel"
import { anEvent, type Tenants } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { type Attempt, type AttemptMade, Delivery } from "../Delivery.ts"
import type { Endpoint, EndpointId } from "../Endpoint.ts"
import type { ClaimedDelivery, ClaimLimits } from "../ports/DeliveryQueue.ts"
import type { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import type { SettledDelivery } from "../ports/DeliverySettlement.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { aFoundedEndpoint } from "./aFoundedEndpoint.ts"
import { aDelivery, anAttempt } from "./builders.ts"
import type { DeliveryPorts } from "./deliveryStore.ts"
import { deliveryStore, useDeliveryStore } from "./deliveryStore.ts"

/** The ports of the suite: the store itself, and those of the endpoints and events of its deliveries. */
export type DeliveryContractPorts = DeliveryPorts | EndpointStore | EventLog | UnitOfWork | Tenants

/** A part of the suite. */
export type Cases = (it: Vitest.MethodsNonLive<DeliveryContractPorts>) => void

/** How long the claims of the suite hold by default: longer than it takes. */
export const LEASE_SECONDS = 3600

/** A lease that is over at once. The store's clock cannot be set, so cases choose times by it instead of waiting. */
export const LAPSED = 0

const BEGINNING = DateTime.makeUnsafe("2025-11-21T12:00:00.000Z")

/** A time that is past, in seconds after the beginning of the suite's time: what is due then is due. */
export const at = (seconds: number): DateTime.Utc => DateTime.add(BEGINNING, { seconds })

/** A time that does not come while the suite runs. */
export const FAR_FUTURE = DateTime.makeUnsafe("2999-01-01T00:00:00.000Z")

/** Endpoints of the cases so far: deliveries may be pending at them. */
const used = new Set<EndpointId>()

export const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

export const storeEndpoint = (override: Partial<Endpoint> = {}) =>
  Effect.gen(function* () {
    const endpoint = yield* aFoundedEndpoint(override)
    yield* EndpointStore.use((store) => atomic(store.insert(endpoint)))
    used.add(endpoint.id)
    return endpoint
  })

export const storeEvent = (endpoint: Endpoint, override: Partial<EventRecord> = {}) =>
  Effect.gen(function* () {
    const event = anEvent({ organizationId: endpoint.organizationId, ...override })
    yield* EventLog.use((log) => atomic(log.append(event)))
    return event
  })

/** Stores a delivery to `endpoint`, due at the beginning by default, of a new event or of the one given. */
export const storeDelivery = (endpoint: Endpoint, override: Partial<Delivery> = {}, event?: EventRecord) =>
  Effect.gen(function* () {
    const { id, type } = event ?? (yield* storeEvent(endpoint))
    const delivery = aDelivery({
      endpointId: endpoint.id,
      eventId: id,
      organizationId: endpoint.organizationId,
      eventType: type,
      nextAttemptAt: at(0),
      createdAt: at(0),
      ...override
    })
    yield* useDeliveryStore((store) => atomic(store.insert([delivery])))
    return delivery
  })

/** Stores one due delivery to an endpoint of its own. */
export const storeOne = Effect.flatMap(storeEndpoint(), (endpoint) => storeDelivery(endpoint))

/** The delivery as the store has it now. */
export const current = (delivery: Delivery) =>
  useDeliveryStore((store) => store.find(delivery.endpointId, delivery.eventId))

export const attemptsOf = (delivery: Delivery) =>
  useDeliveryStore((store) => store.attempts(delivery.endpointId, delivery.eventId))

export const claim = (override: Partial<ClaimLimits> = {}) =>
  useDeliveryStore((store) =>
    store.claimDue({
      max: 100,
      perEndpoint: 100,
      perOrganization: 100,
      endpointLimits: new Map(),
      leaseSeconds: LEASE_SECONDS,
      ...override
    })
  )

/** Claims the one delivery that is due, and fails when there are none or several. */
export const claimOne = (leaseSeconds: number = LEASE_SECONDS) =>
  Effect.map(claim({ leaseSeconds }), (claimed) => {
    const [one] = claimed
    assert.strictEqual(claimed.length, 1, "exactly one delivery is handed out")
    if (one === undefined) throw new Error("exactly one delivery is handed out")
    return one
  })

/** A claimed delivery after an attempt, which was answered 200 by default. */
export const settlementOf = (claimed: ClaimedDelivery, override: Partial<AttemptMade> = {}): SettledDelivery => {
  const { number: _, ...attempt } = anAttempt(override)
  const delivery = Delivery.afterAttempt(claimed.delivery, { ...attempt, retryAfterSeconds: undefined }, 0)
  return { claimToken: claimed.claimToken, delivery, attempt }
}

/** An attempt that was settled, as the store numbers it: the first of its delivery by default. */
export const numbered = ({ attempt }: SettledDelivery, number = 1): Attempt => ({ ...attempt, number })

export const settle = (...settled: ReadonlyArray<SettledDelivery>) =>
  useDeliveryStore((store) => atomic(store.settle(settled)))

/** Each delivery as one text, for comparisons: its endpoint and its event. */
export const identify = (deliveries: ReadonlyArray<Delivery>) =>
  deliveries.map(({ endpointId, eventId }) => `${endpointId}/${eventId}`)

/** The deliveries of claims, for comparison with those that were stored. */
export const claimedIds = (claimed: ReadonlyArray<ClaimedDelivery>) => identify(claimed.map((one) => one.delivery))

/** The newest deliveries of an endpoint. */
export const recent = (store: Pick<DeliveryRecords["Service"], "list">, endpointId: EndpointId, limit: number) =>
  Effect.map(store.list(endpointId, {}, { limit, before: undefined }), ({ items }) => items)

/**
 * Ends whatever earlier cases left pending: claims reach over the whole store, so a case that makes them begins with a
 * store in which nothing is pending but its own.
 */
const endEverything = Effect.gen(function* () {
  const store = yield* deliveryStore
  const end = (delivery: Delivery): Delivery => ({
    ...delivery,
    state: "dead",
    stateReason: "endpoint_disabled",
    nextAttemptAt: null
  })
  for (const endpointId of used) {
    for (const { delivery } of yield* recent(store, endpointId, 1000)) {
      if (delivery.state === "pending") yield* atomic(store.update(endpointId, delivery.eventId, end))
    }
  }
  used.clear()
})

/** `body` in a store where no other delivery is pending. */
export const withNothingElsePending = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.andThen(endEverything, body)
