/** A delivery worker over memory in the time of `TestClock`, which passes only when a test lets it. */
import type { EventId, IncomingResponse, OutgoingRequest, RequestFailed } from "@agent-platform/kernel"
import { aResponse, MemoryEgress } from "@agent-platform/kernel/memory"
import {
  type Delivery,
  DeliveryRecords,
  type DeliveryWorkerOptions,
  type Endpoint,
  startDeliveryWorker
} from "@agent-platform/webhooks"
import { Effect, Exit, Layer, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import { memory } from "./support.ts"

/** The domain over memory without the log: what a worker survives, it reports, and these tests make it survive a lot. */
export const quiet = Layer.merge(memory, Layer.succeed(References.MinimumLogLevel, "None"))

/** Lets time pass, a little at a time, until the fact is there. */
export const eventually = <A, E, R>(fact: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(fact, (found) =>
    found === undefined
      ? Effect.andThen(
          TestClock.adjust("10 millis"),
          Effect.suspend(() => eventually(fact))
        )
      : Effect.succeed(found)
  )

/** Answers everything that is sent from now on in this way. */
export const receiver = (
  respond: (request: OutgoingRequest) => Effect.Effect<IncomingResponse, RequestFailed> = () =>
    Effect.succeed(aResponse(200))
) => Effect.map(MemoryEgress, (egress) => egress.respondWith(respond))

/** All requests so far, oldest first. */
export const sent = Effect.map(MemoryEgress, (egress) => egress.requests)

/** Waits until so many requests have been sent, and answers them. */
export const sentAtLeast = (count: number) =>
  eventually(Effect.map(sent, (requests) => (requests.length >= count ? requests : undefined)))

/** The delivery of the event to the endpoint once it has come to what is asked for, with its attempts. */
export const deliveryOnce = (endpoint: Endpoint, eventId: EventId, is: (delivery: Delivery) => boolean) =>
  Effect.gen(function* () {
    const store = yield* DeliveryRecords
    const delivery = yield* eventually(
      Effect.map(store.find(endpoint.id, eventId), (found) => (found !== undefined && is(found) ? found : undefined))
    )
    return { delivery, attempts: yield* store.attempts(endpoint.id, eventId) }
  })

export const isDelivered = (delivery: Delivery) => delivery.state === "delivered"

/** Starts a worker that can be closed by itself; it is closed with the test at the latest. */
export const startWorker = (options: Partial<DeliveryWorkerOptions> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const close = Scope.close(scope, Exit.void)
    // Closing waits for settlements, which wait for the clock.
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(Effect.forkDetach(close), (closing) => eventually(Effect.sync(() => closing.pollUnsafe())))
    )
    yield* Scope.provide(startDeliveryWorker(options), scope)
    return { close }
  })
