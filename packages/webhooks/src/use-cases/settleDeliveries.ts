import { type EventId, notify, type OrganizationId, Outbox, type TakenEvent, UnitOfWork } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { hostOf, recordEndpointAct } from "../activity.ts"
import { type AttemptMade, Delivery } from "../Delivery.ts"
import { Endpoint, type EndpointId } from "../Endpoint.ts"
import {
  DISABLED_BY_FAILURES,
  type EndpointHealth,
  type EndpointObservation,
  FAILING_HOURS_MAX,
  judge,
  observe
} from "../EndpointHealth.ts"
import { publishDisabled } from "../events.ts"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import type { SendableDelivery } from "../SendableDelivery.ts"

/** An attempt that was made, and the delivery after it: one with a claimed row, or one without a row yet. */
export interface AttemptToSettle {
  readonly sent: SendableDelivery
  /** Undefined while the delivery has no row. */
  readonly claimToken: string | undefined
  readonly delivery: Delivery
  readonly attempt: AttemptMade
}

/** The settlements of one batch. */
export interface SettlementBatch {
  /** Deliveries that are written without an attempt. */
  readonly unattempted: ReadonlyArray<Delivery>
  /** Deliveries that are being attempted and get a row that the worker has a claim on. */
  readonly underWay: ReadonlyArray<Delivery>
  /** Attempts that have ended, in the order in which they did. */
  readonly attempts: ReadonlyArray<AttemptToSettle>
  /** Events of which every delivery is written here or was before. */
  readonly events: ReadonlyArray<TakenEvent>
  readonly leaseSeconds: number
}

/** An endpoint whose health this batch reads, with what the batch says of it. */
interface Watched {
  readonly organizationId: OrganizationId
  readonly endpointId: EndpointId
  observation: EndpointObservation | undefined
  /** The endpoint as it was when the last of the attempts was made; undefined when none was. */
  endpoint: Endpoint | undefined
}

const SYSTEM = { type: "system", id: "webhooks", label: "webhooks" } as const

/**
 * The endpoints that the batch may change, or on whose status it depends: first these endpoints, then what all attempts at them
 * came to. A success at an endpoint that does not fail needs neither, so most batches lock no endpoint.
 */
const watchedIn = (batch: SettlementBatch): ReadonlyMap<EndpointId, Watched> => {
  const watched = new Map<EndpointId, Watched>()
  const watch = ({ endpointId, organizationId }: Delivery) => {
    const known = watched.get(endpointId) ?? { organizationId, endpointId, observation: undefined, endpoint: undefined }
    watched.set(endpointId, known)
    return known
  }
  for (const delivery of batch.unattempted) if (delivery.state === "pending") watch(delivery)
  for (const delivery of batch.underWay) watch(delivery)
  for (const { delivery, sent } of batch.attempts) {
    if (delivery.state !== "delivered" || sent.failingSince !== null) watch(delivery)
  }
  for (const { attempt, delivery, sent } of batch.attempts) {
    const known = watched.get(delivery.endpointId)
    if (known === undefined) continue
    known.endpoint = sent.endpoint
    known.observation = observe(known.observation, {
      endedAt: DateTime.add(attempt.attemptedAt, { milliseconds: attempt.durationMillis }),
      succeeded: delivery.state === "delivered",
      exhausted: delivery.stateReason === "retries_exhausted"
    })
  }
  return watched
}

const isChanged = (before: EndpointHealth | undefined, after: EndpointHealth) =>
  before === undefined || before.failingSince !== after.failingSince || before.deadNoticeAt !== after.deadNoticeAt

/** Disables a failing endpoint, makes its pending deliveries dead, and tells the organization. */
const disable = Effect.fnUntraced(function* ({ endpointId, organizationId }: EndpointHealth) {
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliveryLifecycle
  const before = yield* endpoints.findToChange(organizationId, endpointId)
  if (before === undefined) return
  const endpoint = Endpoint.disabled(before, DISABLED_BY_FAILURES)
  yield* endpoints.replace(endpoint)
  const dead = yield* deliveries.markDead(endpointId, "endpoint_disabled")
  const payload = { reason: DISABLED_BY_FAILURES, dead_deliveries: dead }
  yield* recordEndpointAct(SYSTEM, endpoint, "disabled", payload)
  yield* publishDisabled(endpoint)
  yield* notify({
    organizationId,
    workspaceId: null,
    type: "webhook.endpoint_disabled",
    title: `The webhook endpoint at ${hostOf(endpoint)} was disabled`,
    body: `Nothing got through to it for ${FAILING_HOURS_MAX} hours. Enable it once its receiver works, and replay what is dead.`,
    payload: { endpoint_id: endpointId, host: hostOf(endpoint), ...payload }
  })
})

const notifyDead = (endpoint: Endpoint, count: number) =>
  notify({
    organizationId: endpoint.organizationId,
    workspaceId: null,
    type: "webhook.delivery_dead",
    title: `Deliveries to the webhook endpoint at ${hostOf(endpoint)} are dead`,
    body: "Every attempt failed and no retry is left. Replay them once the receiver works. More of them are not reported for an hour.",
    payload: { endpoint_id: endpoint.id, host: hostOf(endpoint), dead_deliveries: count }
  })

const keyOf = ({ endpointId, eventId }: Delivery) => `${endpointId}/${eventId}`

/**
 * The events whose new deliveries may get a row: this batch completes them, or the outbox still has them and they are held there. If a
 * worker's lease ended long ago, its event may have been erased already, and a row that is written for it now would never be erased.
 */
const holdOpenEvents = Effect.fnUntraced(function* (batch: SettlementBatch, completed: ReadonlySet<EventId>) {
  const attempted = batch.attempts.flatMap((one) => (one.claimToken === undefined ? [one.delivery] : []))
  const ids = [...batch.unattempted, ...attempted, ...batch.underWay].map(({ eventId }) => eventId)
  const others = [...new Set(ids)].filter((id) => !completed.has(id))
  const held = others.length === 0 ? others : yield* Outbox.use((outbox) => outbox.hold(others))
  return new Set([...completed, ...held])
})

/**
 * The writes of `settleDeliveries`, inside of its transaction. The endpoints are locked first: whether a delivery is pending or dead
 * follows from their status, which must not change meanwhile. Then the events: that decides which deliveries may get a row.
 */
const write = Effect.fnUntraced(function* (
  batch: SettlementBatch,
  watched: ReadonlyMap<EndpointId, Watched>,
  now: DateTime.Utc
) {
  const deliveries = yield* DeliverySettlement
  const endpoints = yield* EndpointHealthStore
  const outbox = yield* Outbox
  const health = watched.size === 0 ? [] : yield* endpoints.healthToChange([...watched.values()])
  const healthBefore = new Map(health.map((one) => [one.endpointId, one]))
  const underStatus = (delivery: Delivery) =>
    Delivery.underEndpointStatus(delivery, healthBefore.get(delivery.endpointId)?.status ?? "active")

  const completed = batch.events.length === 0 ? new Set<EventId>() : yield* outbox.complete(batch.events)
  const openEvents = yield* holdOpenEvents(batch, completed)
  const isOpen = ({ eventId }: Delivery) => openEvents.has(eventId)
  const unattempted = batch.unattempted.filter(isOpen).map(underStatus)
  if (unattempted.length > 0) yield* deliveries.insert(unattempted)
  const withoutRow = batch.attempts.filter((one) => one.claimToken === undefined && isOpen(one.delivery))
  if (withoutRow.length > 0) {
    yield* deliveries.insertAttempted(
      withoutRow.map(({ attempt, delivery }) => ({ attempt, delivery: underStatus(delivery) }))
    )
  }
  const settled = batch.attempts.flatMap(({ attempt, claimToken, delivery }) =>
    claimToken === undefined ? [] : [{ attempt, claimToken, delivery: underStatus(delivery) }]
  )
  if (settled.length > 0) yield* deliveries.settle(settled)
  const underWay = batch.underWay.filter(isOpen).map(underStatus)
  const claims = underWay.length === 0 ? [] : yield* deliveries.insertClaimed(underWay, batch.leaseSeconds)
  const tokens = new Map(underWay.map((delivery, index) => [keyOf(delivery), claims[index]]))

  const changes = health.flatMap((one) => {
    const observation = watched.get(one.endpointId)?.observation
    return observation === undefined ? [] : [judge(one, observation, now)]
  })
  const changed = changes
    .map((change) => change.health)
    .filter((one) => isChanged(healthBefore.get(one.endpointId), one))
  if (changed.length > 0) yield* endpoints.saveHealth(changed)
  for (const change of changes) {
    const { endpoint, observation } = watched.get(change.health.endpointId) ?? {}
    if (change.notifyDead && endpoint !== undefined) yield* notifyDead(endpoint, observation?.exhausted ?? 0)
    if (change.disable) yield* disable(change.health)
  }
  return batch.underWay.map((delivery) => tokens.get(keyOf(delivery)))
})

/**
 * Writes the outcomes of attempts, deliveries without an attempt, and the completion of events, in one transaction: an event
 * leaves the outbox only together with the last of its deliveries. Returns the claims' tokens of `underWay`, in its order;
 * undefined for a delivery that another worker has written, or whose event is gone.
 */
export const settleDeliveries = useCase("webhooks.settleDeliveries")(function* (batch: SettlementBatch) {
  const unit = yield* UnitOfWork
  return yield* unit.atomic(write(batch, watchedIn(batch), yield* DateTime.now))
})
