/** Queues of events, broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Endpoint, EventDispatch } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { eventDispatchContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Queue = EventDispatch["Service"]

const memory = Layer.provideMerge(Layer.merge(stores, Tenants.layerUnfounded), kernel)

const dispatchFault = (
  fault: string,
  broken: (queue: Queue, endpoints: Effect.Effect<ReadonlyArray<Endpoint>>) => Queue,
  caughtBy: ReadonlyArray<string>
) => {
  const layer = Layer.effect(
    EventDispatch,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      return broken(yield* EventDispatch, database.table<Endpoint>("webhook_endpoint").all)
    })
  )
  bite(fault, () => eventDispatchContract("a broken queue", Layer.provideMerge(layer, memory)), caughtBy)
}

const answering = (
  endpoints: Effect.Effect<ReadonlyArray<Endpoint>>,
  isKept: (endpoint: Endpoint, organizations: ReadonlyArray<string | undefined>) => boolean,
  queue: Queue
): Queue => ({
  take: Effect.fnUntraced(function* (max, leaseSeconds) {
    const { events } = yield* queue.take(max, leaseSeconds)
    const organizations = events.map(({ record }) => record?.organizationId)
    const kept = (yield* endpoints).filter((endpoint) => isKept(endpoint, organizations))
    return { events, recipients: kept.map((endpoint) => ({ endpoint, failingSince: null })) }
  })
})

dispatchFault(
  "a queue that answers deleted endpoints",
  (queue, endpoints) =>
    answering(endpoints, ({ organizationId }, organizations) => organizations.includes(organizationId), queue),
  [
    "answers the endpoints that are not deleted of the organizations of these events, and no others",
    "answers since when an endpoint fails"
  ]
)

dispatchFault(
  "a queue that answers the endpoints of everybody",
  (queue, endpoints) => answering(endpoints, ({ status }) => status !== "deleted", queue),
  [
    "takes nothing where there is nothing",
    "answers the endpoints that are not deleted of the organizations of these events, and no others",
    "answers since when an endpoint fails",
    "takes an event that is not kept any more, without a record"
  ]
)

dispatchFault(
  "a queue that leaves out events without a record",
  (queue) => ({
    take: (max, leaseSeconds) =>
      Effect.map(queue.take(max, leaseSeconds), ({ events, recipients }) => ({
        events: events.filter(({ record }) => record !== undefined),
        recipients
      }))
  }),
  ["takes an event that is not kept any more, without a record"]
)

dispatchFault("a queue that forgets the lease", (queue) => ({ take: (max) => queue.take(max) }), [
  "takes at most so many, for this lease, as the outbox itself does"
])

dispatchFault("a queue that takes all", (queue) => ({ take: (_, leaseSeconds) => queue.take(1_000, leaseSeconds) }), [
  "takes at most so many, for this lease, as the outbox itself does"
])
