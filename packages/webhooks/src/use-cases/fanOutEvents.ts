import { type dispatchEvent, EventLog, type Job, JobSource, Signals, UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { newDelivery } from "../Delivery.ts"
import { subscribes } from "../Endpoint.ts"
import { deliveriesDue } from "../jobs.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

type DispatchJob = Job<(typeof dispatchEvent)["payload"]["Type"]>

/**
 * Hands events out: one delivery for each endpoint that subscribed, and the jobs completed in the same transaction,
 * so that an event leaves the queue only together with all of its deliveries. Answers how many were made.
 */
export const fanOutEvents = Effect.fn("webhooks.fanOutEvents")(function* (jobs: ReadonlyArray<DispatchJob>) {
  const log = yield* EventLog
  const endpoints = yield* EndpointStore
  const deliveries = yield* DeliveryStore
  const source = yield* JobSource
  const signals = yield* Signals
  const unit = yield* UnitOfWork
  const events = yield* log.find(jobs.map((job) => job.payload.event_id))
  const organizations = [...new Set(events.map((event) => event.organizationId))]
  return yield* unit.atomic(
    Effect.gen(function* () {
      const candidates = yield* endpoints.ofOrganizations(organizations)
      const now = yield* DateTime.now
      const made = events.flatMap((event) =>
        candidates
          .filter((endpoint) => endpoint.organizationId === event.organizationId && subscribes(endpoint, event.type))
          .map((endpoint) => newDelivery(endpoint, event, now))
      )
      yield* deliveries.insert(made)
      yield* source.complete(jobs)
      if (made.length > 0) yield* signals.raise(deliveriesDue)
      return made.length
    })
  )
})
