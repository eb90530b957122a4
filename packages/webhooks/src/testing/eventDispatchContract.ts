import { EventId, EventLog, Outbox, type TakenEvent, UnitOfWork } from "@agent-platform/kernel"
import { anEvent, anId, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { Endpoint } from "../Endpoint.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { EventDispatch, type TakenEvents } from "../ports/EventDispatch.ts"
import { aFoundedEndpoint } from "./aFoundedEndpoint.ts"

/** The ports of the suite: the dispatch itself, and those of what it takes and reads. */
export type EventDispatchContractPorts =
  | EventDispatch
  | EndpointHealthStore
  | EndpointStore
  | EventLog
  | Outbox
  | UnitOfWork
  | Tenants

/** A lease that is over at once. The clock cannot be set, so cases choose a lease by it instead of waiting. */
const LAPSED = 0

const FAILING_SINCE = DateTime.makeUnsafe("2025-11-21T12:00:00.000Z")

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

const storeEndpoint = Effect.fnUntraced(function* (override: Partial<Endpoint> = {}) {
  const endpoint = yield* aFoundedEndpoint(override)
  yield* EndpointStore.use((store) => atomic(store.insert(endpoint)))
  return endpoint
})

/** Publishes an event of the endpoint's organization. */
const publish = Effect.fnUntraced(function* ({ organizationId }: Endpoint) {
  const event = anEvent({ organizationId })
  const [log, outbox] = [yield* EventLog, yield* Outbox]
  yield* atomic(Effect.andThen(log.append(event), outbox.add(event.id)))
  return event
})

const take = (max = 100, leaseSeconds?: number) => EventDispatch.use((queue) => queue.take(max, leaseSeconds))
const takenOf = ({ events }: TakenEvents): ReadonlyArray<TakenEvent> => events.map(({ taken }) => taken)
const complete = (taken: ReadonlyArray<TakenEvent>) => Outbox.use((outbox) => atomic(outbox.complete(taken)))

/** The contract of what takes events to dispatch them. The outbox begins empty, and nobody else takes from it. */
export const eventDispatchContract = <E>(adapter: string, adapterLayer: Layer.Layer<EventDispatchContractPorts, E>) =>
  describe(`dispatch of events over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("takes nothing where there is nothing", () =>
        Effect.gen(function* () {
          yield* storeEndpoint()
          assert.deepStrictEqual(yield* take(), { events: [], recipients: [] })
        })
      )

      it.effect("takes events with their records, in the order of their ids", () =>
        Effect.gen(function* () {
          const one = yield* storeEndpoint()
          const records = [yield* publish(one), yield* publish(yield* storeEndpoint()), yield* publish(one)]
          const taken = yield* take()
          assert.deepStrictEqual(
            taken.events.map(({ record }) => record),
            [...records].sort((first, second) => (first.id < second.id ? -1 : 1))
          )
          assert.deepStrictEqual(
            takenOf(taken).map(({ attempt, id }) => ({ attempt, id })),
            taken.events.map(({ record }) => ({ attempt: 1, id: record?.id }))
          )
          yield* complete(takenOf(taken))
        })
      )

      it.effect("answers the endpoints that are not deleted of the organizations of these events, and no others", () =>
        Effect.gen(function* () {
          const one = yield* storeEndpoint()
          const { organizationId } = one
          const disabled = yield* storeEndpoint({ organizationId, status: "disabled", disabledReason: "asked for" })
          yield* storeEndpoint({ organizationId, status: "deleted" })
          const other = yield* storeEndpoint()
          yield* storeEndpoint()
          yield* Effect.forEach([one, other, one], publish)
          const taken = yield* take()
          assert.sameDeepMembers(
            [...taken.recipients],
            [one, disabled, other].map((endpoint) => ({ endpoint, failingSince: null }))
          )
          yield* complete(takenOf(taken))
        })
      )

      it.effect("answers since when an endpoint fails", () =>
        Effect.gen(function* () {
          const health = yield* EndpointHealthStore
          const endpoint = yield* storeEndpoint()
          const { id: endpointId, organizationId } = endpoint
          yield* atomic(
            Effect.flatMap(health.healthToChange([{ endpointId, organizationId }]), (found) =>
              health.saveHealth(found.map((one) => ({ ...one, failingSince: FAILING_SINCE })))
            )
          )
          yield* publish(endpoint)
          const taken = yield* take()
          assert.deepStrictEqual(taken.recipients, [{ endpoint, failingSince: FAILING_SINCE }])
          yield* complete(takenOf(taken))
        })
      )

      it.effect("takes an event that is not kept any more, without a record", () =>
        Effect.gen(function* () {
          const id = anId(EventId)
          yield* Outbox.use((outbox) => atomic(outbox.add(id)))
          const taken = yield* take()
          assert.deepStrictEqual(
            taken.events.map(({ record, taken: of }) => [of.id, record]),
            [[id, undefined]]
          )
          assert.isEmpty(taken.recipients)
          yield* complete(takenOf(taken))
        })
      )

      it.effect("takes at most so many, for this lease, as the outbox itself does", () =>
        Effect.gen(function* () {
          const outbox = yield* Outbox
          const endpoint = yield* storeEndpoint()
          yield* Effect.forEach([endpoint, endpoint, endpoint], publish)
          const first = takenOf(yield* take(2, LAPSED))
          assert.strictEqual(first.length, 2)
          const again = takenOf(yield* take())
          assert.deepStrictEqual(again.map(({ attempt }) => attempt).sort(), [1, 2, 2])
          assert.isEmpty((yield* take()).events)
          assert.isEmpty(yield* complete(first))
          yield* outbox.release(again.slice(0, 1))
          const released = takenOf(yield* take())
          assert.deepStrictEqual(
            released.map(({ id }) => id),
            again.slice(0, 1).map(({ id }) => id)
          )
          assert.strictEqual((yield* complete([...again.slice(1), ...released])).size, 3)
        })
      )
    })
  })
