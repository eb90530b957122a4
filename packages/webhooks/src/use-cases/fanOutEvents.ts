import { type dispatchEvent, EventLog, type Job, useCase } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { type Delivery, newDelivery } from "../Delivery.ts"
import { subscribes } from "../Endpoint.ts"
import { DeliveryStore, type SendableDelivery } from "../ports/DeliveryStore.ts"

/** The job that hands out one event. */
export type DispatchJob = Job<(typeof dispatchEvent)["payload"]["Type"]>

/** What one event comes to. The job is done when each of these deliveries is written, which for none is at once. */
export interface HandedOut {
  readonly job: DispatchJob
  /** What can be attempted at once. */
  readonly sendable: ReadonlyArray<SendableDelivery>
  /** What is dead from the start, for a replay to send it later. */
  readonly dead: ReadonlyArray<Delivery>
}

/**
 * Decides what events come to: one delivery for each endpoint that subscribed. Writes nothing. Of an event that was handed
 * out before, by somebody who did not get to its end, only what is not written yet. Spec: Events 1 and 4.
 */
export const fanOutEvents = useCase("webhooks.fanOutEvents")(function* (jobs: ReadonlyArray<DispatchJob>) {
  const log = yield* EventLog
  const deliveries = yield* DeliveryStore
  const ids = jobs.map((job) => job.payload.event_id)
  const [found, known] = yield* Effect.all([log.find(ids), deliveries.recipients(ids)], { concurrency: 2 })
  const events = new Map(found.map((event) => [event.id, event]))
  const recipients = Map.groupBy(known, ({ endpoint }) => endpoint.organizationId)
  const now = yield* DateTime.now
  const matched = jobs.map((job) => {
    const event = events.get(job.payload.event_id)
    if (event === undefined) return { job, sendable: [] }
    const subscribed = (recipients.get(event.organizationId) ?? []).filter((one) =>
      subscribes(one.endpoint, event.type)
    )
    const sendable = subscribed.map((one): SendableDelivery => {
      const delivery = newDelivery(one.endpoint, event, now)
      return { ...one, delivery, body: event.body, trace: job.payload.trace }
    })
    return { job, sendable }
  })
  const again = matched.filter(({ job }) => job.attempt > 1).flatMap(({ sendable }) => sendable)
  const written = again.length === 0 ? [] : yield* deliveries.existing(again.map(({ delivery }) => delivery))
  const isWritten = new Set(written.map(({ endpointId, eventId }) => `${endpointId}/${eventId}`))
  return matched.map(({ job, sendable }): HandedOut => {
    const left =
      isWritten.size === 0
        ? sendable
        : sendable.filter(({ delivery }) => !isWritten.has(`${delivery.endpointId}/${delivery.eventId}`))
    return {
      job,
      sendable: left.filter(({ delivery }) => delivery.state === "pending"),
      dead: left.map(({ delivery }) => delivery).filter(({ state }) => state !== "pending")
    }
  })
})
